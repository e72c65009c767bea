import { anyone } from '../auth/owner.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { Agent } from '../tools/agent.ts'

export const agentTable = new Table<Agent>('agents', {
  kept: true,
  booleans: ['enabled', 'is_default'],
  packed: {
    column: 'config',
    fields: Agent.keyof().exclude(['id', 'name', 'enabled', 'is_default', 'created_at', 'updated_at']).options,
  },
})

/** All agents, the default first, then oldest first. */
export const listAgents = (host: Sql, where: Condition = anyone) => agentTable.list(host, 'is_default DESC, id', where)

export const findAgent = (host: Sql, id: string) => agentTable.find(host, { id })

export const findDefaultAgent = (host: Sql) => agentTable.find(host, { is_default: true })

/** The agents that a user may choose. */
export const usableBy = (user: string): Condition => ({
  sql: `(config ->> '$.users' IS NULL OR EXISTS (SELECT 1 FROM json_each(config, '$.users') WHERE value = ?))`,
  args: [user],
})

/** There is exactly one default: clear it before another is set. */
export const clearDefaultAgent = (): Statement => agentTable.update({ is_default: false }, { is_default: true })
