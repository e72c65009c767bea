import { z } from 'zod'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { reference } from '../references.ts'
import { groupColumns, joinGroup, leaveGroup } from './device-store.ts'
import { line } from './schema.ts'

/** Groups of devices, to which commands are sent together. */
export const deviceGroups = collection({
  noun: 'device group',
  prefix: 'dgrp',
  path: '/api/device-groups',
  items: 'groups',
  owner: 'caller',
  summaries: {
    list: 'List device groups by name',
    update: 'Change a device group; `device_ids` replaces its members',
    remove: 'Delete a device group; its devices are kept',
  },
  events: { type: 'device_group', id: 'group_id', audit: false, past: { created: 'updated' } },
  order: 'name COLLATE NOCASE, id',
  table: { name: 'device_groups', select: groupColumns, joined: ['device_ids'] },
  fields: {
    name: line(100).min(1).meta({ title: 'Name' }),
    description: line(1_000).default('').meta({ title: 'Description' }),
    device_ids: z.array(reference('device', 64)).max(500).default([]).meta({ title: 'Devices' }),
  },
  hidden: { owner_id: z.string() },
  prepare: async (_, { next }) => ({ device_ids: [...new Set(next.device_ids)].sort() }),
  also: (_, { id, device_ids }, before) => [
    ...without(before?.device_ids ?? [], device_ids).map((device) => leaveGroup(id, device)),
    ...without(device_ids, before?.device_ids ?? []).map((device) => joinGroup(id, device)),
  ],
})

export type DeviceGroup = z.output<typeof deviceGroups.Row>

const without = (ids: readonly string[], others: readonly string[]) => ids.filter((id) => !others.includes(id))

export const addMember = (context: Context, id: string, device_id: string): Promise<DeviceGroup> =>
  deviceGroups.change(context, id, ({ device_ids }) => ({
    device_ids: [...without(device_ids, [device_id]), device_id].sort(),
  }))

export const removeMember = (context: Context, id: string, device_id: string): Promise<DeviceGroup> =>
  deviceGroups.change(context, id, ({ device_ids }) => {
    if (!device_ids.includes(device_id)) throw notFound(`The device ${device_id} in this group`)
    return { device_ids: without(device_ids, [device_id]) }
  })
