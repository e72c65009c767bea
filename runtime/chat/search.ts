import { z } from 'zod'
import { beginningOf, excerptsOf, type Terms } from '../english/highlight.ts'
import { folded } from '../english/words.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { yieldBetween } from '../pace.ts'
import type { Reader } from '../table.ts'
import { describeRows, type FoundRow, type MessageQuery, matchingRows } from './search-store.ts'

/** Limits for pasted texts. */
const maxWords = 32
const maxRuns = 16
const maxWordLength = 100
/** Characters of all runs: the work of the index grows with each. */
const maxRunCharacters = 32

const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const runPattern = new RegExp(`[${unspaced}][${unspaced}\\p{M}ー]*|\\p{Extended_Pictographic}`, 'gu')
const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const signed = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+[+#]+/gu

/** Parses a search text; nothing in it is an operator. */
export function messageQuery(text: string): MessageQuery {
  const plain = text.normalize('NFC').toLowerCase()
  const runs = distinct(plain.match(runPattern)).slice(0, maxRuns)
  const words = distinct(plain.replace(runPattern, ' ').match(wordPattern)).slice(0, maxWords)
  return {
    words: words.map((word) => cutTo(word, maxWordLength)),
    runs: withinCharacters(runs, maxRunCharacters),
    literals: distinct(plain.match(signed))
      .filter(({ length }) => length <= maxWordLength)
      .slice(0, maxWords),
  }
}

const distinct = (values: readonly string[] | null): string[] => [...new Set(values ?? [])]

function withinCharacters(runs: readonly string[], max: number): string[] {
  let left = max
  return runs.flatMap((run) => {
    const part = cutTo(run, left)
    left -= [...part].length
    return part === '' ? [] : [part]
  })
}

const cutTo = (text: string, length: number): string => [...text].slice(0, length).join('')

export const FoundMessage = z.object({
  conversation_id: z.string(),
  conversation_title: z.string(),
  message_id: z.string(),
  role: z.string(),
  excerpt: z.string().meta({ description: 'HTML in which only `<mark>` is markup' }),
  created_at: z.string(),
})
export type FoundMessage = z.output<typeof FoundMessage>

/** Messages that contain every word of the text, or words that begin with it, the latest first. */
export async function searchMessages(
  host: Reader & Pick<Host, 'clock'>,
  text: string,
  page: Page,
): Promise<{ rows: FoundMessage[]; total: number }> {
  const query = messageQuery(text)
  if (query.words.length + query.runs.length === 0) return { rows: [], total: 0 }
  const { rowids, total } = await matchingRows(host, query, page)
  const messages = await describeRows(host, rowids)
  const byRow = await excerpts(host, query, messages)
  const rows = messages.map(({ rowid, content: _, ...row }) => ({ ...row, excerpt: byRow.get(rowid) ?? '' }))
  return { rows, total }
}

/** The excerpt of each message by row. If its words are cut differently in the index, the excerpt is its beginning. */
async function excerpts(
  host: Reader & Pick<Host, 'clock'>,
  query: MessageQuery,
  rows: readonly FoundRow[],
): Promise<Map<number, string>> {
  const pause = yieldBetween(host.clock)
  const terms = termsOf(query)
  const excerpts = new Map<number, string>()
  for (const { rowid, content } of rows) {
    excerpts.set(rowid, excerptsOf([content], terms)[0] ?? beginningOf(content))
    await pause()
  }
  return excerpts
}

function termsOf({ words, runs }: MessageQuery): Terms {
  const prefixes = new Set(words.map(folded))
  const lengths = [...new Set([...prefixes].map(({ length }) => length))]
  return {
    matches: (word) =>
      lengths.some((length) => (length > 1 || word.length === 1) && prefixes.has(word.slice(0, length))),
    fragments: runs,
  }
}
