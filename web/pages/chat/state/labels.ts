import type { Conversation, MessageError, RecallPart, StreamErrorCode } from '../../../../runtime/chat/schema.ts'
import texts from './error-texts.json' with { type: 'json' }

export const modes: Record<Conversation['mode'], { label: string; hint: string }> = {
  agent: { label: 'Agent', hint: 'Answers and uses tools' },
  plan: { label: 'Plan', hint: 'Changes nothing; ends in a proposed project that you approve' },
  chat: { label: 'Chat', hint: 'Answers without tools' },
}

export const offlineModel = 'offline'

/** The display name of `provider/model`. The built-in model is never mistaken for a language model. */
export function modelName(provider: string | null, model: string | null): string {
  if (provider === offlineModel || model === offlineModel) return 'Offline model'
  return model || provider || 'Automatic'
}

/** While the answer streams it is unknown which memories it used. */
export function recalledLabel(episodes: RecallPart['episodes']): string {
  const used = episodes.filter((episode) => episode.used).length
  if (episodes.some((episode) => episode.used === null)) return `Read ${memories(episodes.length)}`
  return used === 0 ? `Read ${memories(episodes.length)}, used none` : `Used ${memories(used)}`
}

const memories = (count: number) => (count === 1 ? '1 memory' : `${count} memories`)

export interface ErrorText {
  title: string
  hint: string
  /** The page where the cause can be fixed. */
  link?: { to: string; label: string }
  /** The provider cannot answer, so the offline model is offered. */
  offline?: boolean
}

const codes: Record<StreamErrorCode, ErrorText> = texts.codes
const limits: Partial<Record<NonNullable<MessageError['limit']>, ErrorText>> = texts.limits

/** The text shown for an error code of the stream. */
export function errorText(code: string, limit?: MessageError['limit']): ErrorText {
  const ofLimit = limit && limits[limit]
  if (ofLimit) return ofLimit
  return Object.hasOwn(codes, code) ? codes[code as StreamErrorCode] : codes.internal_error
}
