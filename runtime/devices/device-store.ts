import { owned } from '../auth/owner.ts'
import type { PushTarget } from '../ports/push.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { containing, type Reader, type Sql, Table } from '../table.ts'
import type { Device, DeviceStatus } from './schema.ts'

/** A stored device. `reviewed`: the capabilities that the owner has approved or declined. */
export interface StoredDevice extends Omit<Device, 'push' | 'new_capabilities'> {
  reviewed: string[]
  push: PushTarget | null
}

const devices = new Table<StoredDevice, 'command_seq'>('devices', {
  json: ['capabilities', 'allowed_commands', 'reviewed', 'group_ids', 'health', 'push'],
  hidden: ['command_seq'],
  select: `devices.*, (SELECT json_group_array(group_id) FROM device_group_members
    WHERE device_id = devices.id) AS group_ids`,
  complete: (device) => ({ ...device, group_ids: device.group_ids.sort() }),
})

const notRevoked = `status <> 'revoked'`

/** A device regardless of its owner, for the daemon's own work. */
export const findDevice = (host: Sql, id: string) => devices.find(host, { id })

export const findOwnDevice = (context: Reader, id: string) => devices.find(context, { id }, owned(context))

export interface DeviceFilter {
  status?: DeviceStatus | undefined
  group_id?: string | undefined
  search?: string | undefined
  limit: number
  offset: number
}

/** A page of the caller's devices, by name. */
export const listDevices = (context: Reader, { status, group_id, search, ...page }: DeviceFilter) =>
  devices.page(
    context,
    page,
    `status = 'revoked', name COLLATE NOCASE, id`,
    owned(context),
    { status },
    containing(search, 'name'),
    group_id ? sql`id IN (SELECT device_id FROM device_group_members WHERE group_id = ${group_id})` : 'true',
  )

/** The devices of an owner that are not revoked. */
export const devicesOfOwner = (host: Sql, owner_id: string) => devices.list(host, 'id', { owner_id }, notRevoked)

/** The caller's devices that are not revoked. */
export const ownDevices = (context: Reader) => devices.list(context, 'id', owned(context), notRevoked)

export const insertDevice = ({ group_ids: _, ...device }: StoredDevice): Statement =>
  devices.insert({ ...device, command_seq: 0 })

/** Changes some columns of a device, unless it has been revoked in the meantime. */
export const updateDevice = (id: string, changes: Partial<Omit<StoredDevice, 'group_ids'>>): Statement =>
  devices.update(changes, [{ id }, notRevoked], 'The device was revoked')

/** A device as a subscriber to notifications. */
export const subscriberOf = ({ id, push }: StoredDevice) => ({ id, push, expired: updateDevice(id, { push: null }) })

export const markRevoked = (id: string): Statement =>
  devices.update({ status: 'revoked', push: null }, [{ id }, notRevoked], 'The device was already revoked')

export const deleteDevice = (id: string): Statement => devices.delete({ id }, 'The device was already deleted')

/** The next position among the commands of a device, unless the device has been revoked in the meantime. */
export const countCommand = (id: string): Statement =>
  devices.update({ command_seq: sql`command_seq + 1` }, [{ id }, notRevoked], 'The device was revoked')

/** Whether any device receives notifications. */
export const anyPushed = (host: Sql) => devices.exists(host, 'push IS NOT NULL')

/** Whether any device is recorded as connected. */
export const anyConnected = (host: Sql) => devices.exists(host, { status: ['online', 'stale'] })

/** Number of paired devices that are not online, for all owners. */
export const countOffline = (host: Sql) => devices.count(host, { status: ['offline', 'stale'] })

/** Marks all devices as offline, when the daemon starts. */
export const markAllOffline: Statement = devices.update({ status: 'offline' }, { status: ['online', 'stale'] })

/** Deletes revoked devices that were last seen before `before`. */
export const pruneRevoked = (before: string): Statement =>
  devices.delete([{ status: 'revoked' }, sql`coalesce(last_seen_at, paired_at) < ${before}`])

// tokens

interface Token {
  device_id: string
  lookup: string
  hash: string
  created_at: string
}

const tokens = new Table<Token>('device_tokens')

/** Replaces the token of a device. `lookup` finds the row; the whole hash is compared in constant time. */
export const saveToken = (device_id: string, token: { hash: string; lookup: string }, created_at: string): Statement =>
  tokens.upsert({ device_id, ...token, created_at }, 'device_id')

export const deleteToken = (device_id: string): Statement => tokens.delete({ device_id })

export const tokensByLookup = (host: Sql, lookup: string) => tokens.list(host, 'device_id', { lookup })

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

const codes = new Table<StoredCode>('device_pairing_codes', { unique: 'This code is in use' })

export const insertCode = (code: StoredCode): Statement => codes.insert(code)

export const findCode = (host: Sql, hash: string, now: string) => codes.find(host, { hash }, sql`expires_at > ${now}`)

export const takeCode = (hash: string, now: string): Statement =>
  codes.delete([{ hash }, sql`expires_at > ${now}`], 'Another device has just used this code')

export const deleteExpiredCodes = (now: string): Statement => codes.delete(sql`expires_at <= ${now}`)

// groups

/** The columns of a group, with the ids of its devices. */
export const groupColumns = `*, (SELECT json_group_array(device_id) FROM (SELECT device_id FROM device_group_members
  WHERE group_id = device_groups.id ORDER BY device_id)) AS device_ids`

/** Adds a device to a group, if both exist. */
export const joinGroup = (group: string, device: string): Statement =>
  sql`INSERT INTO device_group_members (group_id, device_id) SELECT device_groups.id, devices.id FROM device_groups, devices
    WHERE device_groups.id = ${group} AND devices.id = ${device} ON CONFLICT DO NOTHING`

export const leaveGroup = (group: string, device: string): Statement =>
  sql`DELETE FROM device_group_members WHERE group_id = ${group} AND device_id = ${device}`

// Web Push

export interface StoredPushKeys {
  public_key: string
  sealed_private_key: string
}

const pushKeys = new Table<StoredPushKeys & { id: number }>('device_push_keys')

export const findPushKeys = (host: Sql): Promise<StoredPushKeys | null> => pushKeys.find(host)

/** Existing keys are kept, because browsers have subscribed with them. */
export const insertPushKeys = (keys: StoredPushKeys): Statement =>
  pushKeys.insert({ id: 1, ...keys }, 'ON CONFLICT DO NOTHING')
