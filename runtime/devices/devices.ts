import { auditStatement } from '../auth/audit.ts'
import { holds } from '../auth/caller.ts'
import { digest } from '../auth/credential.ts'
import { nobody } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, forbidden, invalidField, notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Waiting } from '../inbox.ts'
import { iso } from '../time.ts'
import { allow } from './approvals.ts'
import { titleOf } from './catalogue.ts'
import { commandsToCancel, deliver } from './commands.ts'
import {
  deleteDevice,
  deleteToken,
  findOwnDevice,
  markRevoked,
  ownDevices,
  type StoredDevice,
  saveToken,
  updateDevice,
} from './device-store.ts'
import { endConnection, liveDevice } from './live.ts'
import { socketUrl } from './pairing.ts'
import type { Device, DeviceChanges, DeviceStatus, DeviceToken } from './schema.ts'

/** The device if it belongs to the caller, else a 404. */
export async function requireDevice(context: Context, id: string): Promise<StoredDevice> {
  const device = await findOwnDevice(context, id)
  if (!device) throw notFound(`The device ${id}`)
  return device
}

/** A device as the API returns it, with the state of its connection to this process. */
export function publicDevice(host: Pick<Host, 'process'>, stored: StoredDevice): Device {
  const { reviewed, push, ...device } = stored
  const live = liveDevice(host, device.id)
  return {
    ...device,
    new_capabilities: device.capabilities.filter((name) => !reviewed.includes(name)),
    push: push !== null,
    ...(live?.ready && { health: live.health, last_seen_at: iso(live.seen_at) }),
  }
}

/** The caller's devices that offer commands which are neither approved nor declined. */
export async function waitingDevices(context: Context): Promise<Waiting[]> {
  const devices = (await ownDevices(context)).map((device) => publicDevice(context, device))
  return devices.flatMap(({ id, name, new_capabilities, paired_at }) =>
    new_capabilities.length === 0
      ? []
      : [
          {
            kind: 'device',
            id,
            title: name,
            detail: `Offers ${new_capabilities.map(titleOf).join(', ')}`,
            asked_at: paired_at,
            href: `/devices/${id}`,
          },
        ],
  )
}

const updated = ({ id: device_id, name, owner_id }: StoredDevice, status: DeviceStatus) =>
  event('device.updated', { device_id, name, status }, owner_id)

/**
 * A device with the capability `approvals` answers for its owner, so approving that capability or rotating its token needs
 * the scope `approve`, and only the owner may do it: an administrator must not be able to answer for another user.
 */
function requireMayApprove({ caller }: Context, { owner_id }: StoredDevice): void {
  if ((caller.user_id ?? nobody) !== owner_id) throw forbidden('Only the owner of a device can let it answer approvals')
  if (!holds(caller, 'approve'))
    throw forbidden('A device that answers approvals requires a credential with the scope approve')
}

/** Renames a device, or approves and declines its capabilities. */
export async function editDevice(context: Context, id: string, changes: DeviceChanges): Promise<Device> {
  const device = await requireDevice(context, id)
  if (device.status === 'revoked') throw conflict('This device was revoked; pair it again')
  const { name, allowed_commands } = changes
  const unknown = allowed_commands?.find((one) => !device.capabilities.includes(one))
  if (unknown !== undefined) throw invalidField('allowed_commands', `has ${unknown}, which the device does not offer`)
  if (allowed_commands?.includes('approvals') && !device.allowed_commands.includes('approvals'))
    requireMayApprove(context, device)
  const decided = allowed_commands && {
    allowed_commands: [...new Set(allowed_commands)],
    reviewed: device.capabilities,
  }
  const changed = { ...device, ...(name !== undefined && { name }), ...decided }
  if (name === undefined && !decided) return publicDevice(context, device)
  const answer = publicDevice(context, changed)
  const action = decided ? 'device.capabilities_approved' : 'device.updated'
  await context.commit(
    [
      updateDevice(id, { ...(name !== undefined && { name }), ...decided }),
      auditStatement(context, { action, target: id }),
    ],
    [updated(changed, device.status)],
    { answer },
  )
  const live = liveDevice(context, id)
  if (live && decided) {
    allow(live, decided.allowed_commands)
    void deliver(context, id)
  }
  return answer
}

/** Revokes a device: its token is deleted and its commands are cancelled. A revoked device is deleted. */
export async function removeDevice(context: Context, id: string): Promise<void> {
  const device = await requireDevice(context, id)
  const { name, owner_id } = device
  if (device.status === 'revoked') {
    const deleted = event('device.deleted', { device_id: id, name }, owner_id)
    return void (await context.commit([deleteDevice(id)], [deleted]))
  }
  const cancelled = await commandsToCancel(context, device)
  await context.commit(
    [
      markRevoked(id),
      deleteToken(id),
      ...cancelled.statements,
      auditStatement(context, { action: 'device.revoked', target: id }),
    ],
    [...cancelled.events, updated(device, 'revoked')],
  )
  endConnection(context, id)
}

/** Replaces a device's token. The old token becomes invalid immediately and its connection is closed. */
export async function rotateToken(context: Context, id: string, url: string): Promise<DeviceToken> {
  const device = await requireDevice(context, id)
  if (device.status === 'revoked') throw conflict('This device was revoked; pair it again')
  if (device.allowed_commands.includes('approvals')) requireMayApprove(context, device)
  const token = `dev_${context.secrets.random(32)}`
  const answer = { device_id: id, device_token: token, ws_url: socketUrl(url) }
  await context.commit(
    [
      // Fails if the device is revoked at the same time.
      updateDevice(id, { name: device.name }),
      saveToken(id, digest(token, context.secrets), iso(context.clock.now())),
      auditStatement(context, { action: 'device.token_rotated', target: id }),
    ],
    [updated(device, device.status)],
    { answer },
  )
  endConnection(context, id)
  return answer
}
