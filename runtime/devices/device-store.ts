import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { PushTarget } from '../ports/push.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { containing } from '../table.ts'
import type { Device, DeviceHealth, DeviceStatus } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** A stored device. `reviewed`: the capabilities that the owner has approved or declined. */
export interface StoredDevice extends Omit<Device, 'push' | 'new_capabilities'> {
  reviewed: string[]
  push: PushTarget | null
}

interface Row
  extends Omit<StoredDevice, 'capabilities' | 'allowed_commands' | 'reviewed' | 'group_ids' | 'health' | 'push'> {
  capabilities: string
  allowed_commands: string
  reviewed: string
  group_ids: string
  health: string
  push: string | null
}

const columns = `devices.*, (SELECT json_group_array(group_id) FROM device_group_members
  WHERE device_id = devices.id) AS group_ids`

const list = (text: string) => JSON.parse(text) as string[]

const toDevice = ({ command_seq: _, ...row }: Row & { command_seq: number }): StoredDevice => ({
  ...row,
  capabilities: list(row.capabilities),
  allowed_commands: list(row.allowed_commands),
  reviewed: list(row.reviewed),
  group_ids: list(row.group_ids).sort(),
  health: JSON.parse(row.health) as DeviceHealth,
  push: row.push === null ? null : (JSON.parse(row.push) as PushTarget),
})

type Selected = Row & { command_seq: number }

async function selectDevices({ sql }: Sql, where: Condition, tail = ''): Promise<StoredDevice[]> {
  const rows = await sql.read<Selected>(`SELECT ${columns} FROM devices WHERE ${where.sql} ${tail}`, where.args)
  return rows.map(toDevice)
}

/** A device regardless of its owner, for the daemon's own work. */
export async function findDevice(host: Sql, id: string): Promise<StoredDevice | null> {
  return (await selectDevices(host, { sql: 'id = ?', args: [id] }))[0] ?? null
}

export async function findOwnDevice(context: Reader, id: string): Promise<StoredDevice | null> {
  const own = owned(context)
  return (await selectDevices(context, { sql: `id = ? AND ${own.sql}`, args: [id, ...own.args] }))[0] ?? null
}

export interface DeviceFilter {
  status?: DeviceStatus | undefined
  group_id?: string | undefined
  search?: string | undefined
  limit: number
  offset: number
}

/** A page of the caller's devices, by name. */
export async function listDevices(context: Reader, { status, group_id, search, limit, offset }: DeviceFilter) {
  const own = owned(context)
  const named = containing(search, 'name')
  const where = {
    sql: `${own.sql} AND (? IS NULL OR status = ?) AND ${named.sql} AND (? IS NULL OR id IN (
      SELECT device_id FROM device_group_members WHERE group_id = ?))`,
    args: [...own.args, status ?? null, status ?? null, ...named.args, group_id ?? null, group_id ?? null],
  }
  const [count] = await context.sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM devices WHERE ${where.sql}`,
    where.args,
  )
  const page = { ...where, args: [...where.args, limit, offset] }
  const rows = await selectDevices(
    context,
    page,
    `ORDER BY status = 'revoked', name COLLATE NOCASE, id LIMIT ? OFFSET ?`,
  )
  return { rows, total: count?.total ?? 0 }
}

/** The devices of an owner that are not revoked. */
export const devicesOfOwner = (host: Sql, owner_id: string): Promise<StoredDevice[]> =>
  selectDevices(host, { sql: `owner_id = ? AND status <> 'revoked'`, args: [owner_id] }, 'ORDER BY id')

/** The caller's devices that are not revoked. */
export function ownDevices(context: Reader): Promise<StoredDevice[]> {
  const own = owned(context)
  return selectDevices(context, { sql: `${own.sql} AND status <> 'revoked'`, args: own.args }, 'ORDER BY id')
}

export const insertDevice = (device: StoredDevice): Statement => ({
  sql: `INSERT INTO devices (id, owner_id, name, platform, model, os_version, client_version, capabilities,
      allowed_commands, reviewed, status, health, push, last_seen_at, paired_at, command_seq)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, 0)`,
  args: [
    ...[device.id, device.owner_id, device.name, device.platform],
    ...[device.model, device.os_version, device.client_version],
    ...[device.capabilities, device.allowed_commands, device.reviewed].map((one) => JSON.stringify(one)),
    ...[device.status, JSON.stringify(device.health), device.last_seen_at, device.paired_at],
  ],
})

type Changes = Partial<
  Pick<
    StoredDevice,
    | 'name'
    | 'model'
    | 'os_version'
    | 'client_version'
    | 'capabilities'
    | 'allowed_commands'
    | 'reviewed'
    | 'status'
    | 'health'
    | 'push'
    | 'last_seen_at'
  >
>

/** Changes some columns of a device, unless it has been revoked in the meantime. */
export function updateDevice(id: string, changes: Changes): Statement {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
  const args = entries.map(([, value]) => (value === null || typeof value === 'string' ? value : JSON.stringify(value)))
  return {
    sql: `UPDATE devices SET ${entries.map(([name]) => `${name} = ?`).join(', ')} WHERE id = ? AND status <> 'revoked'`,
    args: [...args, id],
    guard: 'The device was revoked',
  }
}

export const markRevoked = (id: string): Statement => ({
  sql: `UPDATE devices SET status = 'revoked', push = NULL WHERE id = ? AND status <> 'revoked'`,
  args: [id],
  guard: 'The device was already revoked',
})

export const deleteDevice = (id: string): Statement => ({
  sql: 'DELETE FROM devices WHERE id = ?',
  args: [id],
  guard: 'The device was already deleted',
})

/** Whether any device is recorded as connected. */
export async function anyConnected({ sql }: Sql): Promise<boolean> {
  return (await sql.read(`SELECT 1 FROM devices WHERE status IN ('online', 'stale') LIMIT 1`)).length > 0
}

/** Number of paired devices that are not online, for all owners. */
export async function countOffline({ sql }: Sql): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM devices WHERE status IN ('offline', 'stale')`,
  )
  return row?.count ?? 0
}

/** Marks all devices as offline, when the daemon starts. */
export const markAllOffline: Statement = {
  sql: `UPDATE devices SET status = 'offline' WHERE status IN ('online', 'stale')`,
}

/** Deletes revoked devices that were last seen before `before`. */
export const pruneRevoked = (before: string): Statement => ({
  sql: `DELETE FROM devices WHERE status = 'revoked' AND coalesce(last_seen_at, paired_at) < ?`,
  args: [before],
})

// tokens

/** Replaces the token of a device. `lookup` finds the row; the whole hash is compared in constant time. */
export const saveToken = (device: string, token: { hash: string; lookup: string }, at: string): Statement => ({
  sql: `INSERT INTO device_tokens (device_id, lookup, hash, created_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (device_id) DO UPDATE SET lookup = excluded.lookup, hash = excluded.hash, created_at = excluded.created_at`,
  args: [device, token.lookup, token.hash, at],
})

export const deleteToken = (device: string): Statement => ({
  sql: 'DELETE FROM device_tokens WHERE device_id = ?',
  args: [device],
})

export const tokensByLookup = ({ sql }: Sql, lookup: string) =>
  sql.read<{ device_id: string; hash: string }>('SELECT device_id, hash FROM device_tokens WHERE lookup = ?', [lookup])

// pairing codes

export interface StoredCode {
  hash: string
  owner_id: string
  name: string | null
  group_id: string | null
  address: string
  created_at: string
  expires_at: string
}

export const insertCode = (code: StoredCode): Statement => ({
  sql: `INSERT INTO device_pairing_codes (hash, owner_id, name, group_id, address, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  args: [code.hash, code.owner_id, code.name, code.group_id, code.address, code.created_at, code.expires_at],
  guard: 'This code is in use',
})

export async function findCode({ sql }: Sql, hash: string, now: string): Promise<StoredCode | null> {
  const [row] = await sql.read<StoredCode>('SELECT * FROM device_pairing_codes WHERE hash = ? AND expires_at > ?', [
    hash,
    now,
  ])
  return row ?? null
}

export const takeCode = (hash: string, now: string): Statement => ({
  sql: 'DELETE FROM device_pairing_codes WHERE hash = ? AND expires_at > ?',
  args: [hash, now],
  guard: 'Another device has just used this code',
})

export const deleteExpiredCodes = (now: string): Statement => ({
  sql: 'DELETE FROM device_pairing_codes WHERE expires_at <= ?',
  args: [now],
})

// groups

/** The columns of a group, with the ids of its devices. */
export const groupColumns = `*, (SELECT json_group_array(device_id) FROM (SELECT device_id FROM device_group_members
  WHERE group_id = device_groups.id ORDER BY device_id)) AS device_ids`

/** Adds a device to a group, if both exist. */
export const joinGroup = (group: string, device: string): Statement => ({
  sql: `INSERT INTO device_group_members (group_id, device_id) SELECT device_groups.id, devices.id FROM device_groups, devices
    WHERE device_groups.id = ? AND devices.id = ? ON CONFLICT DO NOTHING`,
  args: [group, device],
})

export const leaveGroup = (group: string, device: string): Statement => ({
  sql: 'DELETE FROM device_group_members WHERE group_id = ? AND device_id = ?',
  args: [group, device],
})

// Web Push

export interface StoredPushKeys {
  public_key: string
  sealed_private_key: string
}

export async function findPushKeys({ sql }: Sql): Promise<StoredPushKeys | null> {
  const [row] = await sql.read<StoredPushKeys>('SELECT public_key, sealed_private_key FROM device_push_keys')
  return row ?? null
}

/** Existing keys are kept, because browsers have subscribed with them. */
export const insertPushKeys = ({ public_key, sealed_private_key }: StoredPushKeys): Statement => ({
  sql: `INSERT INTO device_push_keys (id, public_key, sealed_private_key) VALUES (1, ?, ?) ON CONFLICT DO NOTHING`,
  args: [public_key, sealed_private_key],
})
