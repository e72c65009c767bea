import { z } from 'zod'
import { groupCommand, sendToGroup } from '../../runtime/devices/commands.ts'
import { findDevice, listGroups } from '../../runtime/devices/device-store.ts'
import { publicDevice } from '../../runtime/devices/devices.ts'
import {
  addGroup,
  addMember,
  editGroup,
  removeGroup,
  removeMember,
  requireGroup,
} from '../../runtime/devices/groups.ts'
import {
  Device,
  DeviceGroup,
  GroupChanges,
  GroupCommand,
  NewCommand,
  NewGroup,
} from '../../runtime/devices/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'
import { reference } from '../../runtime/references.ts'

export const groups = endpoint({
  method: 'GET',
  path: '/api/device-groups',
  summary: 'List device groups by name',
  query: pageQuery(),
  returns: listOf('groups', DeviceGroup),
  run: async ({ query }, context) => ({ ...(await listGroups(context, query)), ...query }),
})

export const createGroup = endpoint({
  method: 'POST',
  path: '/api/device-groups',
  summary: 'Create a device group',
  body: NewGroup,
  returns: DeviceGroup,
  status: 201,
  run: ({ body }, context) => addGroup(context, body),
})

export const showGroup = endpoint({
  method: 'GET',
  path: '/api/device-groups/{id}',
  summary: 'Get a device group',
  returns: DeviceGroup,
  run: ({ params }, context) => requireGroup(context, params.id),
})

export const updateGroup = endpoint({
  method: 'PUT',
  path: '/api/device-groups/{id}',
  summary: 'Change a device group; `device_ids` replaces its members',
  body: GroupChanges,
  before: ({ params }, context) => requireGroup(context, params.id),
  returns: DeviceGroup,
  run: ({ params, body }, context) => editGroup(context, params.id, body),
})

export const deleteGroup = endpoint({
  method: 'DELETE',
  path: '/api/device-groups/{id}',
  summary: 'Delete a device group; its devices are kept',
  returns: Deleted,
  async run({ params }, context) {
    await removeGroup(context, params.id)
    return { deleted: true, id: params.id }
  },
})

export const members = endpoint({
  method: 'GET',
  path: '/api/device-groups/{id}/devices',
  summary: 'List the devices in a group',
  returns: z.object({ devices: z.array(Device), count: z.number().int() }),
  async run({ params }, context) {
    const { device_ids } = await requireGroup(context, params.id)
    const found = await Promise.all(device_ids.map((id) => findDevice(context, id)))
    const devices = found.filter((device) => device !== null).map((device) => publicDevice(context, device))
    return { devices, count: devices.length }
  },
})

export const join = endpoint({
  method: 'POST',
  path: '/api/device-groups/{id}/devices',
  summary: 'Add a device to a group',
  body: z.object({ device_id: reference('device', 64) }),
  returns: DeviceGroup,
  run: ({ params, body }, context) => addMember(context, params.id, body.device_id),
})

export const leave = endpoint({
  method: 'DELETE',
  path: '/api/device-groups/{id}/devices/{device_id}',
  summary: 'Remove a device from a group',
  returns: Deleted,
  async run({ params }, context) {
    await removeMember(context, params.id, params.device_id)
    return { deleted: true, id: params.device_id }
  },
})

export const sendAll = endpoint({
  method: 'POST',
  path: '/api/device-groups/{id}/commands',
  summary: 'Send a command to every device in a group',
  body: NewCommand,
  returns: GroupCommand,
  status: 202,
  run: ({ params, body }, context) => sendToGroup(context, params.id, body),
})

export const results = endpoint({
  method: 'GET',
  path: '/api/device-groups/{id}/commands/{command_id}',
  summary: 'Get the result of a group command for each device',
  returns: GroupCommand,
  run: ({ params }, context) => groupCommand(context, params.id, params.command_id),
})
