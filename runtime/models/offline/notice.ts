import { readForeign } from './foreign.ts'
import { LANGUAGES, sentence } from './languages.ts'

/** Said once in a conversation, so that nobody takes it for a real model. */
export const NOTICE =
  'I am the built-in offline model: I follow fixed rules and use tools, but I do not reason or know the world.'

const PROVIDER =
  'a model provider under Settings → Model providers (a vendor key, or a local Ollama, which needs no key).'
export const ADD_PROVIDER = `For that, add ${PROVIDER}`
export const ADD_FOR_MORE = `For anything else, add ${PROVIDER}`

const ABILITIES: Record<string, string> = {
  memory_save: 'remember things',
  memory_search: 'search the memory',
  web_fetch: 'read web pages',
  http_request: 'send HTTP requests',
  browser: 'open a browser',
  files: 'work with files',
  todo: 'keep a to-do list',
  schedule_job: 'schedule or remind',
  list_jobs: 'see scheduled jobs',
  cancel_job: 'cancel scheduled jobs',
  project: 'handle projects',
  workflow: 'handle workflows',
}

export const lacks = (tool: string): string =>
  `I cannot ${ABILITIES[tool] ?? `use ${tool}`} in this conversation: the tool ${tool} is not available here.`

/** Whether the assistant has said before, in any language, that it is the offline model. */
export const isIntroduced = (history: string): boolean =>
  [NOTICE, ...LANGUAGES.map((language) => sentence(language, 'notice'))].some((notice) =>
    history.includes(notice),
  )

/** Adds the notice in the language of the request, unless the answer contains one. */
export function withNotice(text: string, request: string): string {
  if (text === '' || isIntroduced(text)) return text
  const language = readForeign(request)?.language
  return `${text}\n\n${language ? sentence(language, 'notice') : NOTICE}`
}

/** An answer without the notice at its end, for a reminder or another delivered result. */
export function withoutNotice(text: string): string {
  const notices = [NOTICE, ...LANGUAGES.map((language) => sentence(language, 'notice'))]
  const found = notices.find((notice) => text.endsWith(`\n\n${notice}`))
  return found === undefined ? text : text.slice(0, -found.length).trimEnd()
}
