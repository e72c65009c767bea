import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { notFound } from '../fault.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import {
  clearGroup,
  deleteGroup,
  findOwnGroup,
  insertGroup,
  joinGroup,
  leaveGroup,
  updateGroup,
} from './device-store.ts'
import type { DeviceGroup, GroupChanges, NewGroup } from './schema.ts'

/** The group if it belongs to the caller, else a 404. */
export async function requireGroup(context: Context, id: string): Promise<DeviceGroup> {
  const group = await findOwnGroup(context, id)
  if (!group) throw notFound(`The device group ${id}`)
  return group
}

const membersOf = (group: string, ids: readonly string[]): Statement[] =>
  ids.map((id) => joinGroup(group, id))

export async function addGroup(context: Context, input: NewGroup): Promise<DeviceGroup> {
  const now = context.clock.now()
  const at = { created_at: iso(now), updated_at: iso(now) }
  const group = { id: newId('dgrp', now), ...input, device_ids: [...new Set(input.device_ids)].sort(), ...at }
  await context.commit(
    [insertGroup(group, ownerOf(context)), ...membersOf(group.id, group.device_ids)],
    [event('device_group.updated', { group_id: group.id })],
    { answer: group },
  )
  return group
}

export async function editGroup(context: Context, id: string, changes: GroupChanges): Promise<DeviceGroup> {
  await requireGroup(context, id)
  const { device_ids } = changes
  const members = [...new Set(device_ids)]
  const now = iso(context.clock.now())
  await context.commit(
    [updateGroup(id, changes, now), ...(device_ids ? [clearGroup(id), ...membersOf(id, members)] : [])],
    [event('device_group.updated', { group_id: id })],
  )
  return requireGroup(context, id)
}

export async function removeGroup(context: Context, id: string): Promise<void> {
  await requireGroup(context, id)
  await context.commit([deleteGroup(id)], [event('device_group.deleted', { group_id: id })])
}

export async function addMember(context: Context, id: string, device_id: string): Promise<DeviceGroup> {
  const group = await requireGroup(context, id)
  const device_ids = [...new Set([...group.device_ids, device_id])].sort()
  const changed = { ...group, device_ids, updated_at: iso(context.clock.now()) }
  await context.commit(
    [updateGroup(id, {}, changed.updated_at), joinGroup(id, device_id)],
    [event('device_group.updated', { group_id: id })],
    { answer: changed },
  )
  return changed
}

export async function removeMember(context: Context, id: string, device_id: string): Promise<void> {
  const group = await requireGroup(context, id)
  if (!group.device_ids.includes(device_id)) throw notFound(`The device ${device_id} in this group`)
  await context.commit(
    [updateGroup(id, {}, iso(context.clock.now())), leaveGroup(id, device_id)],
    [event('device_group.updated', { group_id: id })],
  )
}
