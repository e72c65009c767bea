import type { StreamErrorCode } from '../../../../runtime/chat/schema.ts'

export interface ErrorWords {
  title: string
  hint: string
  /** Where to mend it, if not by trying again. */
  link?: { to: string; label: string }
  retry: boolean
}

const providers = { to: '/settings/providers', label: 'Open providers' }

const words: Record<StreamErrorCode, ErrorWords> = {
  rate_limit: {
    title: 'Too many requests',
    hint: 'The provider asks to slow down. Wait a moment and retry.',
    retry: true,
  },
  overloaded: {
    title: 'The provider is overloaded',
    hint: 'It is busy now. Retry, or choose another model.',
    retry: true,
  },
  auth: {
    title: 'The key was refused',
    hint: 'Check the key of this provider.',
    link: providers,
    retry: true,
  },
  billing: {
    title: 'The account has no credit',
    hint: 'Top it up at the provider, or choose another model.',
    link: providers,
    retry: true,
  },
  model_not_found: {
    title: 'This model does not exist',
    hint: 'Choose another model and retry.',
    link: providers,
    retry: true,
  },
  context_overflow: {
    title: 'The conversation is too long for this model',
    hint: 'Choose a model with a larger context, or start a new conversation.',
    retry: true,
  },
  content_filter: {
    title: 'The provider blocked this answer',
    hint: 'Word the message differently.',
    retry: true,
  },
  timeout: {
    title: 'The model did not answer in time',
    hint: 'Retry, or choose another model.',
    retry: true,
  },
  cancelled: { title: 'Stopped', hint: 'What had arrived is kept.', retry: true },
  interrupted: {
    title: 'Interrupted',
    hint: 'The answer was cut off. What had arrived is kept.',
    retry: true,
  },
  budget_exceeded: {
    title: 'The budget is used up',
    hint: 'Nothing was sent. Raise the budget or wait until it resets.',
    link: { to: '/monitor', label: 'Open budgets' },
    retry: true,
  },
  provider_unavailable: {
    title: 'The provider cannot be reached',
    hint: 'Check the connection, then retry.',
    link: providers,
    retry: true,
  },
  tool_error: { title: 'A tool failed', hint: 'Its card says what happened.', retry: true },
  loop_detected: {
    title: 'Stopped: it went round in circles',
    hint: 'The same step was repeated too often. Say it differently.',
    retry: true,
  },
  internal_error: {
    title: 'Something went wrong here',
    hint: 'The daemon’s log has the details.',
    retry: true,
  },
}

/** Plain words for an error code of the stream. */
export function errorWords(code: string): ErrorWords {
  return Object.hasOwn(words, code) ? words[code as StreamErrorCode] : words.internal_error
}
