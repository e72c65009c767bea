import { z } from 'zod'
import type { Page } from '../http/page.ts'
import { highlightFragments, highlightsOf, marks } from '../memory/highlight.ts'
import type { Reader } from '../table.ts'
import { describeRows, type FoundRow, type MessageQuery, matchingRows, wordSnippets } from './search-store.ts'

/** Limits for pasted texts. */
const maxWords = 32
const maxRuns = 16
const maxWordLength = 100
const maxRunLength = 64

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
    runs: runs.map((run) => cutTo(run, maxRunLength)),
    literals: distinct(plain.match(signed)).slice(0, maxWords),
  }
}

const distinct = (found: readonly string[] | null): string[] => [...new Set(found ?? [])]

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
  host: Reader,
  text: string,
  page: Page,
): Promise<{ results: FoundMessage[]; total: number }> {
  const query = messageQuery(text)
  if (query.words.length + query.runs.length === 0) return { results: [], total: 0 }
  const { rowids, total } = await matchingRows(host, query, page)
  const rows = await describeRows(host, rowids)
  const excerpts = await excerptsOf(host, query, rows)
  const results = rows.map(({ rowid, content: _, ...found }) => ({
    ...found,
    excerpt: excerpts.get(rowid) ?? '',
  }))
  return { results, total }
}

async function excerptsOf(
  host: Reader,
  { words, runs }: MessageQuery,
  rows: readonly FoundRow[],
): Promise<Map<number, string>> {
  if (runs.length > 0)
    return new Map(
      rows.map(({ rowid, content }) => [rowid, highlightFragments([content], [...words, ...runs])[0] ?? '']),
    )
  const rowids = rows.map(({ rowid }) => rowid)
  const snippets = await wordSnippets(host, words, { rowids, ...marks })
  return new Map([...snippets].map(([rowid, snippet]) => [rowid, toExcerpt(snippet)]))
}

const toExcerpt = (content: string): string => highlightsOf({ content, reply: '', topics: '[]' })[0] ?? ''
