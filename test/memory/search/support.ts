import { expect } from 'vitest'
import { create } from '../../../handlers/memory/episodes.ts'
import { search } from '../../../handlers/memory/search.ts'
import { SearchResponse } from '../../../runtime/memory/schema.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'

export type Host = Awaited<ReturnType<typeof testHost>>

/** A host with these episodes, in this order. */
export async function hostWith(...contents: string[]): Promise<Host> {
  const host = await testHost()
  for (const content of contents) await call(create, host, { body: { content } })
  return host
}

export async function find(host: Host, q: string, query: Record<string, string> = {}): Promise<SearchResponse> {
  const response = await call(search, host, { query: { q, ...query } })
  expect(response.status).toBe(200)
  return SearchResponse.parse(await response.json())
}

export const contents = ({ results }: SearchResponse): string[] => results.map(({ episode }) => episode.content)
