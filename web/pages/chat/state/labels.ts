import type { Conversation, MessageError, RecallPart, StreamErrorCode } from '../../../../runtime/chat/schema.ts'

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

const providers = { link: { to: '/settings/providers', label: 'Open providers' }, offline: true }
const budgets = { link: { to: '/settings/spending', label: 'Open budgets' }, offline: true }

const errorTexts: Record<StreamErrorCode, ErrorText> = {
  rate_limit: {
    title: 'Too many requests',
    hint: 'The provider limits the rate of requests. Wait a moment, then try again.',
    offline: true,
  },
  overloaded: {
    title: 'The provider is overloaded',
    hint: 'Try again, or choose another model.',
    offline: true,
  },
  auth: { title: 'The key was rejected', hint: 'Check the key of this provider.', ...providers },
  billing: {
    title: 'The account has no credit',
    hint: 'Add credit at the provider, or choose another model.',
    ...providers,
  },
  model_not_found: {
    title: 'This model does not exist',
    hint: 'Choose another model, then try again.',
    ...providers,
  },
  invalid_request: {
    title: 'The provider does not accept the request',
    hint: 'Choose another model, or change the message.',
    offline: true,
  },
  context_overflow: {
    title: 'The conversation is too long for this model',
    hint: 'Choose a model with a larger context, or start a new conversation.',
  },
  content_filter: { title: 'The provider blocked this answer', hint: 'Rephrase the message.' },
  timeout: {
    title: 'The model did not answer in time',
    hint: 'Try again, or choose another model.',
    offline: true,
  },
  cancelled: { title: 'Stopped', hint: 'The text received so far was kept.' },
  interrupted: { title: 'Interrupted', hint: 'The text received so far was kept.' },
  budget_exceeded: {
    title: 'The budget is used up',
    hint: 'Nothing was sent. Raise the budget or wait until it resets.',
    ...budgets,
  },
  provider_unavailable: {
    title: 'The provider cannot be reached',
    hint: 'Check the connection, then try again.',
    ...providers,
  },
  tool_error: { title: 'A tool failed', hint: 'Its card shows the error.' },
  loop_detected: {
    title: 'Stopped: the agent repeated itself',
    hint: 'It took the same step too often. Rephrase the message.',
  },
  internal_error: { title: 'Internal error', hint: 'See the daemon’s log for details.' },
}

const limitTexts: Partial<Record<NonNullable<MessageError['limit']>, ErrorText>> = {
  steps: { title: 'The limit of steps is reached', hint: 'Continue, or raise the limit of the agent.' },
  time: {
    title: 'The time of an answer is over',
    hint: 'Continue, or raise the limit in the agent settings.',
  },
}

/** The text shown for an error code of the stream. */
export function errorText(code: string, limit?: MessageError['limit']): ErrorText {
  const ofLimit = limit && limitTexts[limit]
  if (ofLimit) return ofLimit
  return Object.hasOwn(errorTexts, code) ? errorTexts[code as StreamErrorCode] : errorTexts.internal_error
}
