const smallWords = new Set(
  'a an and as at because but by en for if in neither nor of on only or over per so some than that the to up upon v versus via vs when with without yet'.split(
    ' ',
  ),
)

/** Words with a capital letter, but for small ones within the text and those that have one inside. */
export function titleCase(text: string): string {
  const words = text.match(/[^\s:–—-]+|./gs) ?? []
  const last = words.findLastIndex((word) => /\p{L}/u.test(word))
  const first = words.findIndex((word) => /\p{L}/u.test(word))
  return words
    .map((word, index) => {
      if (!/\p{L}/u.test(word) || /\p{Ll}\p{Lu}|\p{L}\.\p{L}/u.test(word)) return word
      const isWithin = index !== first && index !== last && words[index - 1] !== ':'
      if (smallWords.has(word.toLowerCase()) && isWithin) return word
      return word.replace(/\p{L}/u, (letter) => letter.toUpperCase())
    })
    .join('')
}

const spelled: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D' },
  ...{ þ: 'th', Þ: 'TH', ł: 'l', Ł: 'L', ı: 'i', '–': '-', '—': '-', '‘': "'", '’': "'", '“': '"', '”': '"' },
  ...{ '…': '...', '€': 'EUR', '£': 'GBP' },
}

/** A text in ASCII: letters without their marks; `?` for what has no such spelling. */
export const ascii = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it stands for all that is not ASCII
    .replace(/[^\x00-\x7f]/gu, (letter) => spelled[letter] ?? '?')

/** Leaves a mark without an end as it is. It is read once, to the end of its line, so that reading takes linear time. */
const orNothing = (all: string, end: string | undefined) => (end === undefined ? all : '')

/** A text without the marks of Markdown and the tags of HTML. */
export const withoutMarkdown = (text: string): string =>
  text
    .replace(/^([^\S\r\n\u2028\u2029]*)(?:[*\-+]|\d\.)\s+/gm, '$1')
    .replace(/\n={2,}/g, '\n')
    .replace(/~~/g, '')
    .replace(/`{3}.*(?:(\n)|$)/gm, orNothing)
    .replace(/<[^>\n]+(?:(>)|$)/gm, orNothing)
    .replace(/\[\^.+?(?:(\](?:: .*$(?!\s))?)|$)/gm, orNothing)
    .replace(/!\[.*?(?:(\][[(].*?[\])])|$)/gm, orNothing)
    .replace(/\[(.*?)(?:(\][[(].*?[\])])|$)/gm, (all, text, end) => (end === undefined ? all : text))
    .replace(/>/g, '')
    .replace(/^#{1,6}\s*([^#]*)\s*#{0,6}/gm, '$1')
    .replace(/([*_]{1,3})(\S.*?\S)\1/g, '$2')
    .replace(/(`{3,9})(.*?)\1/gm, '$2')
    .replace(/^-{3,}\s*$/g, '')
    .replace(/`(.+?)`/g, '$1')
    .replace(/\n{2,}/g, '\n\n')
