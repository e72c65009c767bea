import { owned } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { Container, LogEntry } from './schema.ts'

export interface StoredContainer extends Container {
  owner_id: string
}

const containers = new Table<StoredContainer>('sandbox_containers', {
  packed: {
    column: 'spec',
    fields: ['image', 'network', 'cpu_limit', 'memory_mb', 'pids_limit', 'workspace_access', 'env'],
  },
})

export const publicContainer = ({ owner_id: _, ...container }: StoredContainer): Container => container

export const listContainers = (context: Reader, page: Page) => containers.page(context, page, 'id DESC', owned(context))

export const countContainers = (context: Reader, filter: Partial<Pick<Container, 'status'>> = {}) =>
  containers.count(context, filter, owned(context))

export const findContainer = (context: Reader, id: string) => containers.find(context, { id }, owned(context))

/** The container in which an agent runs the commands of an owner. */
export const findAgentContainer = (host: Sql, agent_id: string, owner_id: string) =>
  containers.first(host, 'id DESC', { agent_id, owner_id })

/** All containers, whoever owns them. */
export const allContainers = (host: Sql) => containers.list(host, 'id')

/** Whether the sandbox was used: an engine may have containers that the previous process left behind. */
export const wasUsed = async (host: Sql): Promise<boolean> => (await containers.exists(host)) || commands.exists(host)

export const insertContainer = (container: StoredContainer): Statement => containers.insert(container)

/** Its limits, which the configuration may have lowered. */
export const limitContainer = ({ id, ...container }: StoredContainer): Statement => {
  const { network, cpu_limit, memory_mb, pids_limit, workspace_access } = container
  return containers.update({ network, cpu_limit, memory_mb, pids_limit, workspace_access }, { id })
}

export const updateContainer = (
  id: string,
  changes: Partial<Pick<Container, 'name' | 'status' | 'last_used_at'>>,
): Statement => containers.update(changes, { id })

export const deleteContainer = (id: string): Statement => containers.delete({ id })

/** Log entries that are kept for each container. */
const kept = 100

const commands = new Table<LogEntry, 'container_id'>('sandbox_commands', {
  booleans: ['timed_out', 'truncated'],
  hidden: ['container_id'],
})

export const insertLog = (container_id: string, entry: LogEntry): Statement[] => [
  commands.insert(
    { ...entry, container_id },
    '',
    sql`EXISTS (SELECT 1 FROM sandbox_containers WHERE id = ${container_id})`,
  ),
  commands.delete([
    { container_id },
    sql`id NOT IN (SELECT id FROM sandbox_commands WHERE container_id = ${container_id} ORDER BY id DESC LIMIT ${kept})`,
  ]),
]

export const listLog = (host: Sql, container_id: string, page: Page) =>
  commands.page(host, page, 'id DESC', { container_id })
