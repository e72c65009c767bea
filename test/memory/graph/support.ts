import { graph } from '../../../handlers/memory/graph.ts'
import { commit } from '../../../runtime/events/commit.ts'
import type { Host } from '../../../runtime/host.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { addEpisode, type Origin } from '../../../runtime/memory/episodes.ts'
import { mentionStatements } from '../../../runtime/memory/graph/mentions.ts'
import { Graph, NewEpisode } from '../../../runtime/memory/schema.ts'
import { call } from '../../support/call.ts'
import { peer } from '../../support/host.ts'

export const contextFor = (host: Host) => contextOf(new Request('http://127.0.0.1:18781/'), host, peer)

export function store(host: Host, content: string, more: Partial<NewEpisode & Origin> = {}) {
  const { source, trust, provenance, reply, position, ...body } = more
  const origin = { source, trust, provenance, reply, position } as Origin
  return addEpisode(contextFor(host), { ...NewEpisode.parse({ content, ...body }), ...origin })
}

/** Reads the mentions of stored episodes by rules. */
export async function mention(host: Host, ids: string[]): Promise<void> {
  await commit(
    host,
    await mentionStatements(
      host,
      ids.map((id) => ({ id })),
    ),
  )
}

/** The graph as its page reads it. */
export async function graphOf(host: Host, query: Record<string, string> = {}): Promise<Graph> {
  const response = await call(graph, host, { query })
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return Graph.parse(await response.json())
}
