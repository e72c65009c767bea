import { z } from 'zod'
import { countOpen } from '../../runtime/devices/command-store.ts'
import { listDevices } from '../../runtime/devices/device-store.ts'
import { editDevice, publicDevice, removeDevice, requireDevice, rotateToken } from '../../runtime/devices/devices.ts'
import { createPairingCode } from '../../runtime/devices/pairing.ts'
import {
  Device,
  DeviceChanges,
  DeviceStatus,
  DeviceToken,
  HealthReport,
  NewPairingCode,
  PairingCode,
} from '../../runtime/devices/schema.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, searchText, statusFilter } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

export const list = listing({
  path: '/api/devices',
  summary: 'List devices by name',
  items: 'devices',
  item: Device,
  query: pageQuery().extend({
    status: statusFilter(DeviceStatus.options),
    group_id: z.string().max(64).optional(),
    search: searchText,
  }),
  async rows(context, query) {
    const { rows, total } = await listDevices(context, query)
    return { rows: rows.map((device) => publicDevice(context, device)), total }
  },
})

export const pairingCode = endpoint('POST /api/devices/pairing-codes', {
  summary: 'Create a pairing code for one device, valid for 5 minutes',
  body: NewPairingCode,
  body_optional: true,
  returns: PairingCode,
  status: 201,
  run: ({ body }, context) => createPairingCode(context, body),
})

export const show = endpoint('GET /api/devices/{id}', {
  summary: 'Get a device',
  returns: Device,
  run: async ({ params }, context) => publicDevice(context, await requireDevice(context, params.id)),
})

export const update = endpoint('PUT /api/devices/{id}', {
  summary: 'Rename a device, or approve its capabilities',
  body: DeviceChanges,
  returns: Device,
  run: ({ params, body }, context) => editDevice(context, params.id, body),
})

export const remove = removal({
  path: '/api/devices/{id}',
  summary: 'Revoke a device; a revoked device is deleted with its commands',
  remove: removeDevice,
})

export const health = endpoint('GET /api/devices/{id}/health', {
  summary: 'Get the latest health report of a device',
  returns: HealthReport,
  async run({ params }, context) {
    const { id, ...device } = publicDevice(context, await requireDevice(context, params.id))
    const queued_commands = await countOpen(context, id)
    const { status, last_seen_at } = device
    return { device_id: id, status, health: device.health, last_seen_at, queued_commands }
  },
})

export const rotate = endpoint('POST /api/devices/{id}/rotate-token', {
  summary: 'Replace the token of a device; the old one becomes invalid immediately',
  returns: DeviceToken,
  run: ({ params, request }, context) => rotateToken(context, params.id, request.url),
})
