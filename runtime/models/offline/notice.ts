import languages from './languages.json' with { type: 'json' }
import phrases from './phrases.json' with { type: 'json' }

/** Said once in a conversation, so that nobody takes it for a real model. */
export const NOTICE = phrases.notice
export const ADD_PROVIDER = `For that, ${phrases.provider}`
export const ADD_FOR_MORE = `For anything else, ${phrases.provider}`

const sentences = new Map(Object.entries(languages.sentences))
const scripts = Object.entries(languages.scripts).map(([script, language]) => ({
  pattern: new RegExp(`\\p{Script=${script}}`, 'u'),
  language,
}))

export const lacks = (tool: string): string =>
  `I cannot do that in this conversation: the tool ${tool} is not available here.`

/**
 * What this model needs, in the language of a text that it does not understand: the text's script shows it, or else
 * the person has chosen it. Undefined if that is English or not known.
 */
export function needsEnglish(text: string, language = ''): string | undefined {
  const written = scripts.find(({ pattern }) => pattern.test(text))?.language
  const chosen = language.toLowerCase().split('-')[0] ?? ''
  const latin = written === undefined && /\p{Script=Latin}/u.test(text)
  return sentences.get(written ?? (latin ? chosen : ''))
}

/** Whether the assistant has said before that it is the offline model. */
export const isIntroduced = (history: string): boolean =>
  [NOTICE, ...sentences.values()].some((sentence) => history.includes(sentence))

/** Adds the notice, unless the answer contains one. */
export const withNotice = (text: string): string => (text === '' || isIntroduced(text) ? text : `${text}\n\n${NOTICE}`)

/** An answer without the notice at its end, for a reminder or another delivered result. */
export const withoutNotice = (text: string): string =>
  text.endsWith(`\n\n${NOTICE}`) ? text.slice(0, -NOTICE.length).trimEnd() : text
