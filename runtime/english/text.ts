import data from './words.json' with { type: 'json' }

/** Verbs that start a task: "and" between two of them separates tasks, "salt and pepper" stays whole. */
export const VERBS: ReadonlySet<string> = new Set(data.verbs.flatMap((line) => line.split(' ')))

export const sentences = (text: string): string[] =>
  text
    .split(/(?<=[.!?…]["')\]]?)\s+(?=["'([]?[\p{Lu}\p{N}])|(?<=[。!?！？])|\n{2,}|\n(?=\s{0,20}[-*•\d])/u)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => sentence !== '')

/** At most `limit` characters, cut at a word. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  const cut = text.slice(0, limit)
  const space = cut.lastIndexOf(' ')
  return `${(space > limit * 0.6 ? cut.slice(0, space) : cut).replace(/(?<![\s,;:])[\s,;:]+$/, '')} …`
}
