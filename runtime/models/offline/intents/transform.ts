import { fenced } from '../compose.ts'
import { PATH, readSource } from '../sources.ts'
import { plural, sentences, unquote } from '../text.ts'
import { grammar, type Intent, say, speak } from '../types.ts'

const TEXT = 'text|sentence|string|phrase|paragraph|list|lines|words|names|numbers|items|word'
/** What is worked on: after a colon, in quotes, "the word …", a file, a page, or "it". */
const FROM = String.raw`( (in|of|from|out of|for))?(( (this|these|that|the|my|following))*( (${TEXT}))?\s*:\s*(?<rest>\S.*)| (the )?(${TEXT}) (?<inline>[^:]+)| (the )?(file )?(?<source>${PATH}|https?:\/\/\S+|it|this|that|them|these))`
const CASE = '(?<what>upper|lower|title) ?case|(?<what>capital) letters|(?<what>capital)s'

export const transform: Intent = {
  title: 'Work with text',
  tools: [],
  examples: ['sort: pear, apple, fig', 'how many words are in notes.md'],
  content: true,
  rules: grammar`
    @ 0.93; act: count; whole: [:"\n]
      (count|how many)( all)?( the)? (?<what>words|characters|letters|lines|sentences)( are| is)?( there)?${FROM}
    @ 0.93; act: case; whole: [:"\n]
      ((make|turn|convert|put|write|change)( this| that| it| the following)?( text)? )?((in|to|into|all) )*(${CASE})\s*:\s*(?<rest>\S.*)
      (make|turn|convert|put|write|change) (?<source>${PATH}|it|this|that) ((in|to|into|all) )*(${CASE})
    @ 0.93; act: sort; whole: [:"\n]
      (sort|order|alphabeti[sz]e)( alphabetically| numerically)?${FROM}
    @ 0.93; act: reverse; whole: [:"\n]
      reverse${FROM}
    @ 0.93; act: unique; whole: [:"\n]
      (remove|drop|delete)( the| any| all)? (duplicates?|repeated)( lines| items| words| entries)?${FROM}
    @ 0.93; act: find; whole: [:"\n]
      (extract|find|pull( out)?|get|list|show)( me)?( all)?( the)? (?<what>e-?mails|numbers)( addresses)?( out)?${FROM}
      (extract|find|pull( out)?|get|list|show)( me)?( all)?( the)? (?<what>e-?mail) addresses( out)?${FROM}
    @ 0.93; act: json; whole: .
      (pretty[- ]?print|prettify|format|indent|beautify|tidy( up)?|validate|check)( this| the| my)?( following)? ?json\s*:?\s*(?<rest>[[{].*)
  `,
  async *run({ act = '', what = '', source = '', inline, rest = inline ?? '' }, scene) {
    const given = rest || (/^["'].*(?<!\.\w{1,8})["']$/s.test(source) ? source : '')
    const own = given !== '' && { title: 'your text', text: unquote(given) }
    const material = own || (yield* readSource(source, scene))
    if (typeof material === 'string')
      return yield* speak(material || 'Which text do you mean? Paste it after a colon.')
    const done = ACTS[act]?.(material.text.trim(), what.toLowerCase()) ?? ''
    yield say(act === 'count' || done === '' ? done || NONE : fenced(done))
    return { title: 'the result', text: done }
  },
}

const NONE = 'There is none in it.'

const ACTS: Record<string, (text: string, what: string) => string> = {
  count: (text, what) => `${plural(COUNTS[what]?.(text) ?? 0, what.slice(0, -1))}.`,
  case: (text, what) => {
    if (what === 'lower') return text.toLowerCase()
    return what === 'title'
      ? text.replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase())
      : text.toUpperCase()
  },
  sort: (text) =>
    relisted(text, (items) =>
      items.sort((left, right) => left.localeCompare(right, 'en', { numeric: true })),
    ),
  reverse: (text) =>
    /[,\n]/.test(text) ? relisted(text, (items) => items.reverse()) : [...text].reverse().join(''),
  unique: (text) => relisted(text, (items) => [...new Set(items)]),
  find: (text, what) =>
    [
      ...new Set(
        text.match(
          what === 'numbers' ? /-?\d+(?:[.,]\d+)*/g : /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g,
        ),
      ),
    ].join('\n'),
  json(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2)
    } catch (error) {
      return `Not valid JSON: ${(error as Error).message}`
    }
  },
}

const COUNTS: Record<string, (text: string) => number> = {
  words: (text) => text.split(/\s+/).filter(Boolean).length,
  characters: (text) => [...text].length,
  letters: (text) => text.match(/\p{L}/gu)?.length ?? 0,
  lines: (text) => (text === '' ? 0 : text.split('\n').length),
  sentences: (text) => sentences(text).length,
}

/** Lines, or else what commas or spaces separate. */
function relisted(text: string, change: (items: string[]) => string[]): string {
  const [cut, joint] = /\n/.test(text)
    ? [/\n+/, '\n']
    : /,/.test(text)
      ? [/, ?(?:and )?| and /, ', ']
      : [/ +/, ' ']
  return change(
    text
      .split(cut)
      .map((item) => item.trim())
      .filter(Boolean),
  ).join(String(joint))
}
