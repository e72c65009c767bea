import { unquote } from '../text.ts'
import { type Intent, matchAny, say } from '../types.ts'

const SHAPES: readonly RegExp[] = [
  /^(?:repeat|echo)(?: after me| this| back)?[:,]?\s+(?<text>[\s\S]+)$/i,
  /^(?:say|reply|respond|answer)(?: to me)?(?: exactly| only| just)*(?: with)?(?: exactly| only| just)*(?: (?:the|this)(?: single| one| exact)? (?:word|words|text|sentence|message))?:?\s+(?<text>"[^"]+"|'[^']+'|[^\n]{1,200})$/i,
]

/** Says what it is told to say: the goal of many a scheduled job. */
export const echo: Intent = {
  name: 'echo',
  tools: [],
  examples: ['say "good morning"'],
  content: true,
  match(text) {
    const found = matchAny(text, 0.75, SHAPES)
    return found && { ...found, whole: /["':]/.test(text) }
  },
  async *run({ slots }) {
    yield say(unquote(slots.text ?? ''))
    return undefined
  },
}
