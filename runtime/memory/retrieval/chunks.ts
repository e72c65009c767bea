/** Vectors of one episode at most; the rest of a text so long is found by its words. */
export const mostParts = 64

const sentenceEnd = /(?<=[.!?…。！？])\s+|\n+/u

/** The text in parts of at most `most` characters, cut between sentences, else between words. Blank parts are left out. */
export function chunksOf(text: string, most: number): string[] {
  const parts: string[] = []
  let open = ''
  for (const piece of text.split(sentenceEnd).flatMap((sentence) => cut(sentence, most))) {
    if (open !== '' && open.length + 1 + piece.length > most) {
      parts.push(open)
      open = ''
    }
    open = open === '' ? piece : `${open} ${piece}`
  }
  parts.push(open)
  return parts.filter((part) => part.trim() !== '').slice(0, mostParts)
}

/** A sentence that is too long is cut between words, a word that is too long anywhere. */
function cut(sentence: string, most: number): string[] {
  const parts: string[] = []
  let rest = sentence.trim()
  while (rest.length > most) {
    const space = rest.lastIndexOf(' ', most)
    const end = space > most / 2 ? space : most
    parts.push(rest.slice(0, end).toWellFormed())
    rest = rest.slice(end).trim()
  }
  return [...parts, rest]
}

const letter = /\p{L}/gu
const latin = /\p{Script=Latin}/gu

/** Whether at least half of the letters are Latin; a text without letters says nothing to a model of words. */
export function isLatin(text: string): boolean {
  const letters = text.match(letter)?.length ?? 0
  return letters > 0 && (text.match(latin)?.length ?? 0) * 2 >= letters
}
