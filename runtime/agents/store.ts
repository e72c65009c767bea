import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { Agent } from '../tools/agent.ts'

const agents = new Table<Agent>('agents', {
  booleans: ['enabled', 'is_default'],
  packed: {
    column: 'config',
    fields: Agent.keyof().exclude(['id', 'name', 'enabled', 'is_default', 'created_at', 'updated_at'])
      .options,
  },
})

/** All agents, the default first, then oldest first. */
export const listAgents = (host: Sql) => agents.list(host, 'is_default DESC, id')

export const findAgent = (host: Sql, id: string) => agents.find(host, { id })

export const findDefaultAgent = (host: Sql) => agents.find(host, { is_default: true })

export const insertAgent = (agent: Agent): Statement => agents.insert(agent)

/** The guard refuses it unless the stored agent is still `old`, so that of two changes at once neither is lost. */
export function updateAgent(agent: Agent, { updated_at, is_default }: Agent): Statement {
  const { id, created_at: _, ...changes } = agent
  return agents.update(
    changes,
    { id, updated_at, is_default },
    'The agent was changed at the same time; try again',
  )
}

/** There is exactly one default: clear it before another is set. */
export const clearDefaultAgent = (): Statement => agents.update({ is_default: false }, { is_default: true })

export const deleteAgent = (id: string): Statement =>
  agents.delete(
    { id, is_default: false },
    'The default agent cannot be deleted; make another one the default first',
  )
