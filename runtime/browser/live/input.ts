import { z } from 'zod'
import { holds } from '../../auth/caller.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import type { Socket } from '../../http/socket.ts'
import type { PersonInput } from '../../ports/browser.ts'
import { refusalOf } from '../use.ts'

/** RFC 6455 leaves 4000–4999 to applications; this one is a frame that is none of ours. */
export const malformed = 4400

/** Moves that wait while the page is busy; more of them are dropped, for only the last one matters. */
const mostMoves = 8
const mostWaiting = 500

const coordinate = z.number().min(-100).max(20_000)

const Mouse = z.object({
  type: z.literal('mouse'),
  kind: z.enum(['move', 'down', 'up', 'wheel']),
  x: coordinate,
  y: coordinate,
  button: z.enum(['left', 'middle', 'right']).optional(),
  delta_x: z.number().min(-10_000).max(10_000).optional(),
  delta_y: z.number().min(-10_000).max(10_000).optional(),
})
const Key = z.object({
  type: z.literal('key'),
  kind: z.enum(['down', 'up']),
  key: z.string().min(1).max(64),
})
const Text = z.object({ type: z.literal('text'), text: z.string().min(1).max(10_000) })

const Input = z.discriminatedUnion('type', [Mouse, Key, Text])
/** A person takes the page, or lets go of it. */
const Take = z.object({ type: z.literal('take'), on: z.boolean() })
/** An input by itself, or under `input`. */
const Message = z.union([
  Input,
  Take,
  z.object({ type: z.literal('input'), input: Input }).transform(({ input }) => input),
])

function readInput(text: string | Uint8Array): z.output<typeof Message> | null {
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
  const give = async (input: PersonInput) => {
    waiting += 1
    try {
      await context.browser.input(input)
    } catch (thrown) {
      const refusal = refusalOf(thrown)
      if (!(refusal instanceof Fault)) throw refusal
      const { message, code, extra } = refusal
      socket.send(JSON.stringify({ type: 'error', message, code: extra.code ?? code }))
    } finally {
      waiting -= 1
    }
  }
  const take = (input: PersonInput) => {
    give(input).catch((cause: unknown) => context.log.write('warn', 'an input failed', { cause }))
  }
  socket.onMessage((text) => {
    const input = readInput(text)
    if (!input) return socket.close(malformed, 'Send {"type": "input", "input": {…}}')
    if (!holds(context.caller, 'write')) {
      const message = 'This credential may watch only'
      return socket.send(JSON.stringify({ type: 'error', code: 'forbidden', message }))
    }
    if (input.type === 'take') return hold(input.on)
    const idle = input.type === 'mouse' && input.kind === 'move'
    if (waiting >= (idle ? mostMoves : mostWaiting)) return
    remember(held, input as PersonInput)
    take(input as PersonInput)
  })
  socket.onClose(() => {
    for (const release of held.values()) take(release)
    hold(false)
  })
}

function remember(held: Map<string, PersonInput>, input: PersonInput): void {
  if (input.type === 'text') return
  const name = input.type === 'key' ? `key ${input.key}` : `mouse ${input.button ?? 'left'}`
  if (input.kind === 'down') held.set(name, { ...input, kind: 'up' } as PersonInput)
  if (input.kind === 'up') held.delete(name)
}
