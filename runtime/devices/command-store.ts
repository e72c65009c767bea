import { owned } from '../auth/owner.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { countCommand } from './device-store.ts'
import type { CommandStatus, DeviceCommand } from './schema.ts'

/** A stored command. `seq`: its position among the commands of its device. */
export interface StoredCommand extends DeviceCommand {
  seq: number
}

const json = ['params', 'progress', 'output'] as const
const commands = new Table<StoredCommand>('device_commands', { json })
/** The same without their output, which may be large. */
const entries = new Table<StoredCommand>('device_commands', {
  json,
  select: `id, device_id, batch_id, seq, command, params, status, progress, NULL AS output, error, timeout_seconds,
    created_at, expires_at, sent_at, ended_at`,
})

export const publicCommand = ({ seq: _, ...command }: StoredCommand): DeviceCommand => command
export const commandEntry = ({ seq: _, output: __, ...command }: StoredCommand): Omit<DeviceCommand, 'output'> =>
  command

/** Commands that were or may have been delivered and have no result yet. */
const inFlight: { status: CommandStatus[] } = { status: ['sent', 'running'] }

/** Whether the device runs no command. */
const isIdle = (device: string) =>
  sql`NOT EXISTS (SELECT 1 FROM device_commands AS other WHERE other.device_id = ${device} AND other.status IN ('sent', 'running'))`

export const findCommand = (host: Sql, id: string) => commands.find(host, { id })

/** A command of a device that belongs to the caller. */
export const findOwnCommand = (context: Reader, id: string) =>
  commands.find(context, { id }, sql`device_id IN (SELECT id FROM devices WHERE ${owned(context)})`)

/** The commands of a device without their output, newest first. */
export async function listCommands(
  host: Sql,
  device_id: string,
  { status, ...page }: Page & { status?: CommandStatus | undefined },
) {
  const { rows, total } = await entries.page(host, page, 'seq DESC', { device_id, status })
  return { rows: rows.map(commandEntry), total }
}

export const commandsOfBatch = (host: Sql, batch_id: string) => commands.list(host, 'device_id', { batch_id })

/** The next command to deliver; null if there is none or the device is still running one. */
export const nextCommand = (host: Sql, device_id: string) =>
  commands.first(host, 'seq', { device_id, status: 'queued' }, isIdle(device_id))

export const commandsInFlight = (host: Sql, device_id: string) => commands.list(host, 'seq', { device_id, ...inFlight })

export const openCommands = (host: Sql, device_id: string) => commands.list(host, 'seq', { device_id, ended_at: null })

export const countOpen = (host: Sql, device_id: string) => commands.count(host, { device_id, ended_at: null })

/** Appends a command to its device's queue, unless the device has been revoked in the meantime. */
export const insertCommand = (command: Omit<StoredCommand, 'seq'>): Statement[] => [
  countCommand(command.device_id),
  commands.insert({ ...command, seq: sql`(SELECT command_seq FROM devices WHERE id = ${command.device_id})` }),
]

/** Marks a command as sent before it is sent, so that only one connection delivers it, and only once. */
export const markSent = ({ id, device_id }: StoredCommand, sent_at: string, expires_at: string): Statement =>
  commands.update(
    { status: 'sent', sent_at, expires_at },
    [{ id, status: 'queued' }, isIdle(device_id)],
    'Another request has already sent or ended the command',
  )

/** Requeues a command that the device has not received. */
export const requeueCommand = (id: string, expires_at: string): Statement =>
  commands.update({ status: 'queued', sent_at: null, expires_at }, { id, status: 'sent' })

export const markRunning = (id: string): Statement =>
  commands.update({ status: 'running' }, { id, status: 'sent' }, 'The command is not waiting to be acknowledged')

export const saveProgress = (id: string, progress: DeviceCommand['progress']): Statement =>
  commands.update({ progress, status: 'running' }, { id, ...inFlight }, 'The command has ended')

export interface CommandEnd {
  status: Exclude<CommandStatus, 'queued' | 'sent' | 'running'>
  output?: unknown
  error?: string | null
}

export const endCommand = (
  id: string,
  { status, output = null, error = null }: CommandEnd,
  ended_at: string,
): Statement =>
  commands.update({ status, output, error, ended_at }, { id, ended_at: null }, 'The command has already ended')

/** Removes large outputs, such as pictures and parts of files. */
export const pruneOutputs = (before: string, characters: number): Statement =>
  commands.update({ output: null }, sql`ended_at < ${before} AND length(output) > ${characters}`)

export const pruneCommands = (before: string): Statement => commands.delete(sql`ended_at < ${before}`)
