import type { ModelCall, ModelEvent, Models } from '../../runtime/ports/models.ts'

/** What one model call does: events, an error to throw, or a promise to wait for in between. */
export type Step = (ModelEvent | Error | Promise<unknown>)[] | ((call: ModelCall) => AsyncIterable<ModelEvent>)

export interface ScriptedModels extends Models {
  /** The calls that were made, oldest first. */
  calls: ModelCall[]
  /** The calls that ask for a title; they take nothing from the script. */
  titles: ModelCall[]
  /** What such a call is answered with, by default with nothing. */
  title: Step
  /** Adds what the next call does. */
  add(...steps: Step[]): void
}

const usage = { type: 'finish', reason: 'stop', input_tokens: 10, output_tokens: 5 } as const

export const text = (...words: string[]): Step => [
  ...words.map((word) => ({ type: 'text' as const, text: word })),
  usage,
]

export const toolCall = (name: string, input: unknown, id = 'call_1'): ModelEvent[] => [
  { type: 'tool_call', id, name, input },
  { ...usage, reason: 'tool_calls' },
]

/** What the daemon told the model in a call, besides instructions and messages. */
export const notesOf = (call: ModelCall | undefined): string =>
  call?.messages.flatMap((message) => (message.role === 'user' ? (message.notes ?? []) : [])).join('\n\n') ?? ''

/** The models port with its answers written down beforehand; the wire tests use the vendors' real packages. */
export function scriptedModels(...script: Step[]): ScriptedModels {
  const calls: ModelCall[] = []
  const titles: ModelCall[] = []
  const nothing: Step = [{ ...usage, input_tokens: 0, output_tokens: 0 }]
  async function* play(step: Exclude<Step, (call: ModelCall) => AsyncIterable<ModelEvent>>): AsyncIterable<ModelEvent> {
    for (const item of step) {
      if (item instanceof Promise) await item
      else if (item instanceof Error) throw item
      else yield item
    }
  }
  const perform = (step: Step, call: ModelCall) => (typeof step === 'function' ? step(call) : play(step))
  return {
    calls,
    titles,
    title: nothing,
    add: (...steps) => void script.push(...steps),
    stream(call) {
      if (call.system.startsWith('You name conversations')) {
        titles.push(call)
        return perform(this.title, call)
      }
      calls.push({ ...call, messages: structuredClone(call.messages) })
      return perform(script.shift() ?? text('(the script is over)'), call)
    },
    list: async () => [{ id: 'scripted' }],
  }
}

/** Says a few words and then nothing, until it is aborted. */
export const hanging: Step = async function* ({ signal }) {
  yield { type: 'text', text: 'Half an ans' }
  await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}
