/** Title of a conversation that nothing was said in yet. */
export const untitled = 'New conversation'

const longest = 60

/** What people say before they say what they want. */
const politeness =
  /^(?:(?:hi|hello|hey|dear)\b[^,.!?:\n]{0,20}[,.!:]\s*|(?:please|kindly)\b[,:]?\s+|(?:can|could|would|will) you\b(?: please)?,?\s+|(?:i(?:'|’)?d like you to|i would like you to|i want you to|i need you to)\s+)/i

/** A title from the first words of the first message: without greeting and marks, cut at a word. */
export function titleFrom(text: string): string {
  const line =
    text
      .split('\n')
      .map(plain)
      .find((candidate) => candidate !== '') ?? ''
  const title = withoutPoliteness(line)
  if (title.length <= longest) return title || untitled
  const cut = title.slice(0, longest)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), longest / 2)).trimEnd()}…`
}

/** A line without the marks of Markdown; the fence of a code block is no title. */
const plain = (line: string): string =>
  line
    .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.)]\s+)+/, '')
    .replace(/^\s*(?:```|~~~).*$/, '')
    .replace(/[*_`]{1,3}(\S(?:[^*_`]*\S)?)[*_`]{1,3}/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()

function withoutPoliteness(line: string): string {
  const rest = line.replace(politeness, '')
  if (rest === '' || rest === line) return line
  return withoutPoliteness(rest.charAt(0).toUpperCase() + rest.slice(1))
}

const mostWords = 6

/** What a model gave as title, on one line and in at most six words; null when nothing is left. */
export function cleanTitle(said: string): string | null {
  const line =
    said
      .split('\n')
      .map(plain)
      .find((candidate) => candidate !== '') ?? ''
  const bare = line
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/^title\s*[:–-]\s*/i, '')
    .replace(/^["'“”‘’«»„]+|["'“”‘’«»]+$/g, '')
    .replace(/[.,;:!\s]+$/, '')
    .trim()
  const title = bare
    .split(' ')
    .slice(0, mostWords)
    .join(' ')
    .slice(0, longest)
    .replace(/[.,;:\s]+$/, '')
  return title.isWellFormed() && title !== '' ? title : null
}
