import { z } from 'zod'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { highlightFragments, highlightsOf, marks } from '../memory/highlight.ts'
import { describeRows, type FoundRow, type MessageQuery, matchingRows, wordSnippets } from './search-store.ts'

/** A pasted page is cut to its first words. */
const mostWords = 32
const mostRuns = 16
const longestWord = 100
const longestRun = 64

const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
const runPattern = new RegExp(`[${unspaced}][${unspaced}\\p{M}ー]*|\\p{Extended_Pictographic}`, 'gu')
const wordPattern = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu
const signed = /[\p{L}\p{N}]+[+#]+/gu

/** Whatever is typed is text: nothing in it is an operator. */
export function messageQuery(text: string): MessageQuery {
  const plain = text.normalize('NFC').toLowerCase()
  const runs = distinct(plain.match(runPattern)).slice(0, mostRuns)
  const words = distinct(plain.replace(runPattern, ' ').match(wordPattern)).slice(0, mostWords)
  return {
    words: words.map((word) => cutTo(word, longestWord)),
    runs: runs.map((run) => cutTo(run, longestRun)),
    literals: distinct(plain.match(signed)).slice(0, mostWords),
  }
}

const distinct = (found: readonly string[] | null): string[] => [...new Set(found ?? [])]

const cutTo = (text: string, most: number): string => [...text].slice(0, most).join('')

export const FoundMessage = z.object({
  conversation_id: z.string(),
  conversation_title: z.string(),
  message_id: z.string(),
  role: z.string(),
  excerpt: z.string().meta({ description: 'HTML in which only `<mark>` is markup' }),
  created_at: z.string(),
})
export type FoundMessage = z.output<typeof FoundMessage>

type Reader = Pick<Host, 'sql'>

/** Messages that have every word of the text, or its beginning, the latest first. */
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
