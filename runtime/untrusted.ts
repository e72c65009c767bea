import { prompt } from './prompts/prompt.ts'

/** Marks external text as untrusted data for a model. Tags inside the text are escaped. */
export function wrapUntrusted(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return `<untrusted>\n${text.replace(/<(\/?)untrusted/gi, '&lt;$1untrusted')}\n</untrusted>`
}

const wrapped = /^<untrusted>\n([\s\S]*)\n<\/untrusted>$/

/** Reverses `wrapUntrusted`. Returns any other value unchanged. */
export function unwrapUntrusted(value: unknown): unknown {
  const inner = typeof value === 'string' ? wrapped.exec(value)?.[1] : undefined
  if (inner === undefined) return value
  const text = unescapeTags(inner)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const hasUntrusted = (text: string): boolean => separateUntrusted(text).foreign.length > 0

/** For the system prompt of a model that reads such texts. */
export const untrustedRule = prompt('untrusted')

/** Begins a message of the daemon, which is sent to models as the person's. */
export const systemMark = '[note from the system] '
/** Begins a line of the daemon in a message. */
const noteMark = '[note about this message] '
/** Begins the text of a message that corrects an earlier one. */
export const correctionMark = '[correction of an earlier message] '

/** What the daemon says about a message, as a line of it. */
export const messageNote = (text: string): string => noteMark + text.replace(/\s+/g, ' ')

/** The message of somebody else, with a name on one line that its sender chose freely. */
export const wrapMessage = (name: string, text: string): string => wrapUntrusted(`${name} writes: ${text}`)

/** Splits a text into its own part, without notes of the daemon, and the contents of its untrusted blocks. */
export function separateUntrusted(text: string): { own: string; foreign: string[] } {
  const pieces = text.split(/<\/?untrusted>/)
  const own = pieces.filter((_, index) => index % 2 === 0).join('\n')
  return {
    own: own
      .split('\n')
      .filter((line) => !line.startsWith(noteMark))
      .map(withoutCorrection)
      .join('\n'),
    foreign: pieces.filter((_, index) => index % 2 === 1).map((piece) => unescapeTags(piece.trim())),
  }
}

/**
 * A message as the person who wrote it meant it: their own words are the request and untrusted blocks are data. A message
 * that is untrusted as a whole, such as a stranger's or a template with nothing but values, is the request itself.
 */
export function readMessage(text: string): { request: string; data: string[] } {
  const { own, foreign } = separateUntrusted(text)
  if (own.trim() !== '' || foreign.length === 0) return { request: own, data: foreign }
  const said = foreign.map((piece) => withoutCorrection(piece.replace(/^"[^"\n]{0,80}" writes: /, '')))
  return { request: said.join('\n'), data: [] }
}

const withoutCorrection = (line: string): string =>
  line.startsWith(correctionMark) ? line.slice(correctionMark.length) : line

const unescapeTags = (text: string): string => text.replace(/&lt;(\/?)untrusted/gi, '<$1untrusted')
