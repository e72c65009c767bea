import { z } from 'zod'
import { holds } from '../auth/caller.ts'
import { administrators, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Socket } from '../http/socket.ts'
import { encodedOnce, parseJson } from '../json.ts'
import type { Frame, Subscription } from '../ports/bus.ts'
import { eventsTopic, storeTopic } from './event.ts'
import { matchesType } from './pattern.ts'

const Subscribe = z.object({
  type: z.literal('subscribe'),
  /** Event types to receive; `job.*` matches a prefix. Default: all. */
  types: z.array(z.string().max(100)).max(100).optional(),
  /** The last event that the client received. */
  since_seq: z.int().min(0).optional(),
})

const textOf = encodedOnce(({ owner_id: _, foreign: __, ...frame }: Frame) => JSON.stringify(frame))

/**
 * Sends every new event that the caller may see to a socket. The client may filter by type and name the last event it received;
 * if later ones are no longer buffered, it is sent `resync` and must reload its state.
 */
export function followEvents(socket: Socket, context: Context): void {
  let types: readonly string[] = ['*']
  let subscription: Subscription
  const send = (frame: Frame) => {
    const { owner_id = null } = frame
    const visible =
      owner_id === null ||
      owner_id === ownerOf(context) ||
      (owner_id === administrators && holds(context.caller, 'admin'))
    if (visible && types.some((pattern) => matchesType(pattern, frame.type))) socket.send(textOf(frame))
  }
  const follow = (since?: number) => {
    subscription?.close()
    subscription = context.bus.subscribe(eventsTopic, send, since)
    if (!subscription.complete) socket.send(JSON.stringify({ type: 'resync' }))
  }
  follow()
  const outages = context.bus.subscribe(storeTopic, ({ type, data }) => socket.send(JSON.stringify({ type, data })))
  socket.onMessage((text) => {
    const request = typeof text === 'string' && Subscribe.safeParse(parseJson(text)).data
    if (!request)
      return socket.send(
        JSON.stringify({ type: 'error', message: 'Send {"type": "subscribe", "types"?, "since_seq"?}' }),
      )
    types = request.types ?? ['*']
    follow(request.since_seq)
  })
  socket.onClose(() => {
    subscription.close()
    outages.close()
  })
}

/** Nothing happens while a host sleeps, so it continues without `since_seq`. No event has a type in other characters. */
export function resumeFollowing(frame: string): string | null {
  const request = Subscribe.safeParse(parseJson(frame)).data
  if (!request) return null
  const types = request.types?.filter((type) => /^[\w.*]+$/.test(type))
  return JSON.stringify({ type: 'subscribe', types })
}
