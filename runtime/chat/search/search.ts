import { z } from 'zod'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { highlightFragments, highlightsOf, marks } from '../../memory/highlight.ts'
import { type MessageQuery, messageQuery } from './query.ts'
import { describeRows, type FoundRow, matchingRows, wordSnippets } from './store.ts'

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
