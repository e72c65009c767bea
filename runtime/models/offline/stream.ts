import { type ModelCall, ModelError, type ModelEvent } from '../../ports/models.ts'
import { readTurn, type Turn } from './conversation.ts'
import { INTENTS } from './intents/index.ts'
import { isIntroduced, withNotice } from './notice.ts'
import { planCall } from './plan.ts'
import { replyTo } from './reply.ts'
import type { Material, Scene } from './types.ts'

export const offlineModel = { provider: 'offline', model: 'offline', context_tokens: 32000 } as const

export interface OfflineOptions {
  /** Milliseconds since the epoch. */
  now(): number
  /** The user's IANA zone. */
  timezone: string
}

/** The usual estimate. */
const CHARACTERS_PER_TOKEN = 4

/** Answers one model call by rules: text in small pieces, or tool calls. Deterministic for the same call and time. */
export async function* streamOffline(call: ModelCall, options: OfflineOptions): AsyncGenerator<ModelEvent> {
  stopWhenAborted(call.signal)
  const turn = readTurn(call.messages)
  const planned = planCall(call.tools, turn.request)
  const { text, calls } = planned ?? (await replyTo(turn, sceneOf(call, turn, options)))
  const input_tokens = tokens(JSON.stringify(countable(call.messages)))
  const limit = (call.max_output_tokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN
  const said = calls.length > 0 || isIntroduced(turn.history) ? text : withNotice(text)
  for (const piece of pieces(said.slice(0, limit))) {
    stopWhenAborted(call.signal)
    yield { type: 'text', text: piece }
  }
  const stamp = `${options.now().toString(36)}_${call.messages.length}`
  for (const { key, name, input } of calls) yield { type: 'tool_call', id: `offline_${stamp}_${key}`, name, input }
  const output_tokens = tokens(said.slice(0, limit)) + (calls.length > 0 ? tokens(JSON.stringify(calls)) : 0)
  const reason = calls.length > 0 ? 'tool_calls' : said.length > limit ? 'length' : 'stop'
  yield { type: 'finish', reason, input_tokens, output_tokens, estimated: true }
}

function sceneOf(call: ModelCall, turn: Turn, options: OfflineOptions): Scene {
  const [texts = [], others = []] = [true, false].map((isText) =>
    turn.files.filter(({ mime_type }) => /^text\/|json|xml|yaml|csv/.test(mime_type) === isText),
  )
  const attached = texts.map(({ name = 'the attachment', data }): Material => {
    return { title: name, text: new TextDecoder().decode(data) }
  })
  return {
    now: options.now(),
    timezone: options.timezone,
    language: call.language,
    tools: new Map(call.tools.map((tool) => [tool.name, tool])),
    intents: INTENTS,
    attachments: [...attached, ...turn.untrusted.map((text) => ({ title: 'the text', text }))],
    unreadable: others.map(({ name, mime_type }) => name ?? mime_type),
    material: turn.material,
  }
}

/**
 * The latest message of the user and what was done for it. The answer depends on little else: nobody reads the system
 * prompt, the tools or the whole history, so they do not count.
 */
function countable(messages: ModelCall['messages']): unknown[] {
  const start = messages.findLastIndex(({ role }) => role === 'user')
  return messages
    .slice(Math.max(0, start))
    .map(({ role, content }) => (role === 'user' ? content.filter((part) => part.type === 'text') : content))
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

/** Two words at a time; text without spaces, as in Japanese, twelve characters at a time. */
function pieces(text: string): string[] {
  return text.match(/\S{1,24}\s*(?:\S{1,24}\s*)?|\s+/gu) ?? []
}

function stopWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('cancelled', 'The call was cancelled.')
}
