import { readForeign } from './languages/detect.ts'
import { LANGUAGES } from './languages/index.ts'
import { NOTICE } from './notice.ts'

/** Whether the assistant has said before, in any language, that it is the offline model. */
export function isIntroduced(history: string): boolean {
  return [NOTICE, ...LANGUAGES.map(({ say }) => say.notice)].some((notice) => history.includes(notice))
}

/** Adds the notice in the language of the request, unless the answer holds one. */
export function withNotice(text: string, request: string): string {
  if (text === '' || isIntroduced(text)) return text
  return `${text}\n\n${readForeign(request)?.language.say.notice ?? NOTICE}`
}
