import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { agentTable } from '../../runtime/agents/store.ts'
import type { Host } from '../../runtime/host.ts'

/** Stores agents with these ids, which are also their names. */
export async function addAgents(host: Host, ...ids: string[]): Promise<void> {
  const agent = await requireDefaultAgent(host)
  await host.sql.write(ids.map((id) => agentTable.insert({ ...agent, id, name: id, is_default: false })))
}
