import { z } from 'zod'
import { holds } from '../../auth/caller.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import type { Socket } from '../../http/socket.ts'
import { PersonInput } from '../schema.ts'
import { refusalOf } from '../use.ts'
import type { LiveMessage } from './messages.ts'

/** RFC 6455 leaves 4000–4999 to applications; this one is a frame that is none of ours. */
export const malformed = 4400

/** Moves that wait while the page is busy; more of them are dropped, for only the last one matters. */
const mostMoves = 8
const mostWaiting = 500

/** A person takes the page, or lets go of it. */
const Take = z.object({ type: z.literal('take'), on: z.boolean() })
/** An input by itself, or under `input`. */
const Message = z.union([
  PersonInput,
  Take,
  z.object({ type: z.literal('input'), input: PersonInput }).transform(({ input }) => input),
])

function readMessage(text: string | Uint8Array): z.output<typeof Message> | null {
  if (typeof text !== 'string') return null
  try {
    return Message.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Lets a person take the page over; what is still held down is let go when they leave. */
export function takeInput(socket: Socket, context: Context): void {
  const held = new Map<string, PersonInput>()
  let waiting = 0
  let letGo: (() => void) | null = null
  const hold = (on: boolean) => {
    letGo?.()
    letGo = on ? context.process.browser_live.hands.take(context.caller.name) : null
  }
  const refuse = (code: string, message: string) => {
    const refusal: LiveMessage = { type: 'error', code, message }
    socket.send(JSON.stringify(refusal))
  }
  const give = async (input: PersonInput) => {
    waiting += 1
    try {
      await context.browser.input(input)
    } catch (thrown) {
      const refusal = refusalOf(thrown)
      if (!(refusal instanceof Fault)) throw refusal
      refuse(String(refusal.extra.code ?? refusal.code), refusal.message)
    } finally {
      waiting -= 1
    }
  }
  const pass = (input: PersonInput) => {
    give(input).catch((cause: unknown) => context.log.write('warn', 'an input failed', { cause }))
  }
  socket.onMessage((text) => {
    const message = readMessage(text)
    if (!message) return socket.close(malformed, 'Send {"type": "input", "input": {…}}')
    if (!holds(context.caller, 'write')) return refuse('forbidden', 'This credential may watch only')
    if (message.type === 'take') return hold(message.on)
    const idle = message.type === 'mouse' && message.kind === 'move'
    if (waiting >= (idle ? mostMoves : mostWaiting)) return
    remember(held, message)
    pass(message)
  })
  socket.onClose(() => {
    for (const release of held.values()) pass(release)
    hold(false)
  })
}

function remember(held: Map<string, PersonInput>, input: PersonInput): void {
  if (input.type === 'text') return
  const name = input.type === 'key' ? `key ${input.key}` : `mouse ${input.button ?? 'left'}`
  if (input.kind === 'down') held.set(name, { ...input, kind: 'up' })
  if (input.kind === 'up') held.delete(name)
}
