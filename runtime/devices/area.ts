import { defineArea } from '../area.ts'
import { day, iso } from '../time.ts'

/** How long ended commands and revoked devices are kept. */
const kept = 30 * day

export const devicesArea = defineArea({
  name: 'devices',
  events: async () => (await import('./events.ts')).deviceEvents,
  tables: [
    'devices',
    'device_tokens',
    'device_pairing_codes',
    'device_groups',
    'device_group_members',
    'device_commands',
  ],
  owned_tables: ['devices', 'device_pairing_codes', 'device_groups'],
  work: { 'devices.deadline': async () => (await import('./commands.ts')).commandDeadline },
  tools: async () => [(await import('./tool.ts')).deviceCommand],
  async start(host, { alone }) {
    if (!alone) return
    const { anyConnected, markAllOffline } = await import('./device-store.ts')
    if (await anyConnected(host)) await host.sql.write([markAllOffline])
  },
  async prune(host) {
    const { pruneCommands } = await import('./command-store.ts')
    const { pruneRevoked } = await import('./device-store.ts')
    const before = iso(host.clock.now() - kept)
    return [pruneCommands(before), pruneRevoked(before)]
  },
})
