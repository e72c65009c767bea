import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import type { CommandStatus, DeviceCommand } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** A stored command. `seq`: its position among the commands of its device. */
export interface StoredCommand extends DeviceCommand {
  seq: number
}

interface Row extends Omit<StoredCommand, 'params' | 'progress' | 'output'> {
  params: string
  progress: string | null
  output: string | null
}

const toCommand = (row: Row): StoredCommand => ({
  ...row,
  params: JSON.parse(row.params) as StoredCommand['params'],
  progress: row.progress === null ? null : (JSON.parse(row.progress) as StoredCommand['progress']),
  output: row.output === null ? null : (JSON.parse(row.output) as unknown),
})

export const publicCommand = ({ seq: _, ...command }: StoredCommand): DeviceCommand => command
export const commandEntry = ({ seq: _, output: __, ...command }: StoredCommand): Omit<DeviceCommand, 'output'> =>
  command

const inFlight = `('sent', 'running')`

export async function findCommand({ sql }: Sql, id: string): Promise<StoredCommand | null> {
  const [row] = await sql.read<Row>('SELECT * FROM device_commands WHERE id = ?', [id])
  return row ? toCommand(row) : null
}

/** A command of a device that belongs to the caller. */
export async function findOwnCommand(context: Reader, id: string): Promise<StoredCommand | null> {
  const own = owned(context)
  const [row] = await context.sql.read<Row>(
    `SELECT * FROM device_commands WHERE id = ? AND device_id IN (SELECT id FROM devices WHERE ${own.sql})`,
    [id, ...own.args],
  )
  return row ? toCommand(row) : null
}

/** The commands of a device without their output, newest first. */
export async function listCommands(
  host: Sql,
  device: string,
  { status, ...page }: Page & { status?: CommandStatus | undefined },
) {
  const select = `SELECT id, device_id, batch_id, seq, command, params, status, progress, NULL AS output, error,
      timeout_seconds, created_at, expires_at, sent_at, ended_at
    FROM device_commands WHERE device_id = ? AND (? IS NULL OR status = ?)`
  const query = { select, args: [device, status ?? null, status ?? null], order: 'seq DESC' }
  const { rows, total } = await selectPage<Row>(host, query, page)
  return { rows: rows.map(toCommand).map(commandEntry), total }
}

export async function commandsOfBatch({ sql }: Sql, batch: string): Promise<StoredCommand[]> {
  const rows = await sql.read<Row>('SELECT * FROM device_commands WHERE batch_id = ? ORDER BY device_id', [batch])
  return rows.map(toCommand)
}

/** The next command to deliver; null if there is none or the device is still running one. */
export async function nextCommand({ sql }: Sql, device: string): Promise<StoredCommand | null> {
  const [row] = await sql.read<Row>(
    `SELECT * FROM device_commands WHERE device_id = ? AND status = 'queued' AND NOT EXISTS (
      SELECT 1 FROM device_commands AS other WHERE other.device_id = ? AND other.status IN ${inFlight})
    ORDER BY seq LIMIT 1`,
    [device, device],
  )
  return row ? toCommand(row) : null
}

/** Commands that were or may have been delivered and have no result yet. */
export async function commandsInFlight({ sql }: Sql, device: string): Promise<StoredCommand[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM device_commands WHERE device_id = ? AND status IN ${inFlight} ORDER BY seq`,
    [device],
  )
  return rows.map(toCommand)
}

export async function openCommands({ sql }: Sql, device: string): Promise<StoredCommand[]> {
  const rows = await sql.read<Row>(
    `SELECT * FROM device_commands WHERE device_id = ? AND ended_at IS NULL ORDER BY seq`,
    [device],
  )
  return rows.map(toCommand)
}

export async function countOpen({ sql }: Sql, device: string): Promise<number> {
  const [row] = await sql.read<{ total: number }>(
    'SELECT count(*) AS total FROM device_commands WHERE device_id = ? AND ended_at IS NULL',
    [device],
  )
  return row?.total ?? 0
}

/** Appends a command to its device's queue, unless the device has been revoked in the meantime. */
export const insertCommand = (command: Omit<StoredCommand, 'seq'>): Statement[] => [
  {
    sql: `UPDATE devices SET command_seq = command_seq + 1 WHERE id = ? AND status <> 'revoked'`,
    args: [command.device_id],
    guard: 'The device was revoked',
  },
  {
    sql: `INSERT INTO device_commands (id, device_id, batch_id, seq, command, params, status, timeout_seconds, created_at, expires_at)
      SELECT ?, id, ?, command_seq, ?, ?, ?, ?, ?, ? FROM devices WHERE id = ?`,
    args: [
      ...[command.id, command.batch_id, command.command, JSON.stringify(command.params), command.status],
      ...[command.timeout_seconds, command.created_at, command.expires_at, command.device_id],
    ],
  },
]

/** Marks a command as sent before it is sent, so that only one connection delivers it, and only once. */
export const markSent = ({ id, device_id }: StoredCommand, at: string, expires_at: string): Statement => ({
  sql: `UPDATE device_commands SET status = 'sent', sent_at = ?, expires_at = ? WHERE id = ? AND status = 'queued'
    AND NOT EXISTS (SELECT 1 FROM device_commands AS other WHERE other.device_id = ? AND other.status IN ${inFlight})`,
  args: [at, expires_at, id, device_id],
  guard: 'Another request has already sent or ended the command',
})

/** Requeues a command that the device has not received. */
export const requeueCommand = (id: string, expires_at: string): Statement => ({
  sql: `UPDATE device_commands SET status = 'queued', sent_at = NULL, expires_at = ? WHERE id = ? AND status = 'sent'`,
  args: [expires_at, id],
})

export const markRunning = (id: string): Statement => ({
  sql: `UPDATE device_commands SET status = 'running' WHERE id = ? AND status = 'sent'`,
  args: [id],
  guard: 'The command is not waiting to be acknowledged',
})

export const saveProgress = (id: string, progress: DeviceCommand['progress']): Statement => ({
  sql: `UPDATE device_commands SET progress = ?, status = 'running' WHERE id = ? AND status IN ${inFlight}`,
  args: [JSON.stringify(progress), id],
  guard: 'The command has ended',
})

export interface CommandEnd {
  status: Exclude<CommandStatus, 'queued' | 'sent' | 'running'>
  output?: unknown
  error?: string | null
}

export const endCommand = (id: string, { status, output = null, error = null }: CommandEnd, at: string): Statement => ({
  sql: `UPDATE device_commands SET status = ?, output = ?, error = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL`,
  args: [status, output === null ? null : JSON.stringify(output), error, at, id],
  guard: 'The command has already ended',
})

/** Removes large outputs, such as pictures and parts of files. */
export const pruneOutputs = (before: string, characters: number): Statement => ({
  sql: 'UPDATE device_commands SET output = NULL WHERE ended_at < ? AND length(output) > ?',
  args: [before, characters],
})

export const pruneCommands = (before: string): Statement => ({
  sql: 'DELETE FROM device_commands WHERE ended_at < ?',
  args: [before],
})
