import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'
import { CommandStatus, DeviceStatus, Progress } from './schema.ts'

const device = z.object({ device_id: z.string(), name: z.string() })
const command = z.object({ device_id: z.string(), command_id: z.string(), command: z.string() })
const group = z.object({ group_id: z.string() })

const browser = z.object({ browser_id: z.string() })

export const deviceEvents = {
  'device.paired': device,
  'device.updated': device.extend({ status: DeviceStatus }),
  'device.deleted': device,
  'device.connected': device,
  'device.disconnected': device,
  /** An event that the device reported. */
  'device.event': device.extend({ event: z.string(), data: z.unknown() }),
  'device.command.updated': command.extend({ status: CommandStatus }),
  'device.command.progress': command.extend({ progress: Progress }),
  'notified_browser.created': browser.extend({ name: z.string() }),
  'notified_browser.updated': browser,
  'notified_browser.deleted': browser,
  'device_group.updated': group,
  'device_group.deleted': group,
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof deviceEvents> {}
}
