import { z } from 'zod'
import { groupCommand, sendToGroup } from '../../runtime/devices/commands.ts'
import { findDevice } from '../../runtime/devices/device-store.ts'
import { publicDevice } from '../../runtime/devices/devices.ts'
import { addMember, deviceGroups, removeMember } from '../../runtime/devices/groups.ts'
import { Device, GroupCommand, NewCommand } from '../../runtime/devices/schema.ts'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted } from '../../runtime/http/page.ts'
import { reference } from '../../runtime/references.ts'

export const {
  list: groups,
  create: createGroup,
  show: showGroup,
  update: updateGroup,
  remove: deleteGroup,
} = endpointsOf(deviceGroups)

export const members = endpoint('GET /api/device-groups/{id}/devices', {
  summary: 'List the devices in a group',
  returns: z.object({ devices: z.array(Device), count: z.int() }),
  async run({ params }, context) {
    const { device_ids } = await deviceGroups.require(context, params.id)
    const members = await Promise.all(device_ids.map((id) => findDevice(context, id)))
    const devices = members.filter((device) => device !== null).map((device) => publicDevice(context, device))
    return { devices, count: devices.length }
  },
})

export const join = verbOf(deviceGroups, 'devices', {
  summary: 'Add a device to a group',
  body: z.object({ device_id: reference('device', 64) }),
  returns: deviceGroups.Row,
  run: (context, id, { device_id }) => addMember(context, id, device_id),
})

export const leave = endpoint('DELETE /api/device-groups/{id}/devices/{device_id}', {
  summary: 'Remove a device from a group',
  returns: Deleted,
  async run({ params }, context) {
    await removeMember(context, params.id, params.device_id)
    return { deleted: true, id: params.device_id }
  },
})

export const sendAll = verbOf(deviceGroups, 'commands', {
  summary: 'Send a command to every device in a group',
  body: NewCommand,
  returns: GroupCommand,
  status: 202,
  run: sendToGroup,
})

export const results = endpoint('GET /api/device-groups/{id}/commands/{command_id}', {
  summary: 'Get the result of a group command for each device',
  returns: GroupCommand,
  run: ({ params }, context) => groupCommand(context, params.id, params.command_id),
})
