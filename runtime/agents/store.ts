import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Agent } from './schema.ts'

interface Row {
  id: string
  config: string
  enabled: number
  is_default: number
  created_at: string
  updated_at: string
}

type Sql = Pick<Host, 'sql'>

const toAgent = (row: Row): Agent => ({
  ...(JSON.parse(row.config) as Agent),
  id: row.id,
  enabled: row.enabled === 1,
  is_default: row.is_default === 1,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** All agents, the default first, then oldest first. */
export async function listAgents({ sql }: Sql): Promise<Agent[]> {
  return (await sql.read<Row>('SELECT * FROM agents ORDER BY is_default DESC, id')).map(toAgent)
}

export async function findAgent({ sql }: Sql, id: string): Promise<Agent | null> {
  const [row] = await sql.read<Row>('SELECT * FROM agents WHERE id = ?', [id])
  return row ? toAgent(row) : null
}

export async function findDefaultAgent({ sql }: Sql): Promise<Agent | null> {
  const [row] = await sql.read<Row>('SELECT * FROM agents WHERE is_default = 1')
  return row ? toAgent(row) : null
}

export const insertAgent = (agent: Agent): Statement => ({
  sql: `INSERT INTO agents (id, name, enabled, is_default, config, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  args: [
    agent.id,
    agent.name,
    Number(agent.enabled),
    Number(agent.is_default),
    configOf(agent),
    agent.created_at,
    agent.updated_at,
  ],
})

/** The guard refuses it unless the stored agent is still `old`, so that of two changes at once neither is lost. */
export const updateAgent = (agent: Agent, old: Agent): Statement => ({
  sql: `UPDATE agents SET name = ?, enabled = ?, is_default = ?, config = ?, updated_at = ?
    WHERE id = ? AND updated_at = ? AND is_default = ?`,
  args: [
    agent.name,
    Number(agent.enabled),
    Number(agent.is_default),
    configOf(agent),
    agent.updated_at,
    agent.id,
    old.updated_at,
    Number(old.is_default),
  ],
  guard: 'The agent was changed at the same time; try again',
})

/** There is exactly one default: clear it before another is set. */
export const clearDefaultAgent = (): Statement => ({
  sql: 'UPDATE agents SET is_default = 0 WHERE is_default = 1',
})

export const deleteAgent = (id: string): Statement => ({
  sql: 'DELETE FROM agents WHERE id = ? AND is_default = 0',
  args: [id],
  guard: 'The default agent cannot be deleted; make another one the default first',
})

function configOf({ id: _, is_default: __, created_at: ___, updated_at: ____, ...config }: Agent): string {
  return JSON.stringify(config)
}
