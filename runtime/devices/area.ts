import { defineArea } from '../area.ts'
import { onEvents } from '../events/subscribe.ts'
import { day, iso } from '../time.ts'
import { endConnectionsOf } from './live.ts'
import { pushPurpose } from './purposes.ts'
import { pushes } from './pushes.ts'

/** Retention of ended commands and revoked devices. */
const kept = 30 * day

/** Retention of large outputs, in milliseconds and characters: a picture a minute would fill the disk. */
const keptOutput = day
const largeOutput = 64 * 1024

export const devicesArea = defineArea({
  name: 'devices',
  references: {
    device: async (context, id) => (await (await import('./device-store.ts')).findOwnDevice(context, id)) !== null,
    device_group: async (context, id) =>
      (await (await import('./groups.ts')).deviceGroups.findOwn(context, id)) !== null,
  },
  waiting: async (context) => (await import('./devices.ts')).waitingDevices(context),
  events: async () => (await import('./events.ts')).deviceEvents,
  tables: [
    'devices',
    'device_tokens',
    'device_push_keys',
    'notified_browsers',
    'device_pairing_codes',
    'device_groups',
    'device_group_members',
    'device_commands',
  ],
  owned_tables: ['devices', 'device_pairing_codes', 'device_groups', 'notified_browsers'],
  sealed: [{ table: 'device_push_keys', column: 'sealed_private_key', purpose: pushPurpose }],
  work: {
    'devices.deadline': async () => (await import('./commands.ts')).commandDeadline,
    'devices.push': async () => (await import('./pushed.ts')).pushKind,
  },
  sources: [pushes],
  tools: async () => [(await import('./tool.ts')).deviceCommand],
  async start(host, { alone }) {
    onEvents(host, host.process.stopping, ({ type, data }) => {
      // Their tokens are refused from now on.
      if (type === 'user.deleted') endConnectionsOf(host, (data as { id: string }).id)
    })
    if (!alone) return (await import('./other-daemons.ts')).followOtherDaemons(host)
    const { anyConnected, markAllOffline } = await import('./device-store.ts')
    if (await anyConnected(host)) await host.sql.write([markAllOffline])
  },
  async prune(host) {
    const { pruneCommands, pruneOutputs } = await import('./command-store.ts')
    const { pruneRevoked } = await import('./device-store.ts')
    const now = host.clock.now()
    const before = iso(now - kept)
    return [pruneCommands(before), pruneOutputs(iso(now - keptOutput), largeOutput), pruneRevoked(before)]
  },
})
