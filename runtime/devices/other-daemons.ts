import { onEvents } from '../events/subscribe.ts'
import type { Host } from '../host.ts'
import { closing, type LiveDevice, liveDevice } from './live.ts'
import { checkDevice } from './socket.ts'

/** Applies what other daemons do to devices that are connected to this one. */
export function followOtherDaemons(host: Host): void {
  onEvents(host, host.process.stopping, ({ type, data, foreign }) => {
    const { device_id, ...named } = data as { device_id?: string; command_id?: string; status?: string }
    const live = foreign && device_id !== undefined && liveDevice(host, device_id)
    if (!live) return
    follow(live, type, named).catch((cause: unknown) =>
      host.log.write('warn', 'cannot follow another daemon', { device: live.id, cause }),
    )
  })
}

async function follow(
  live: LiveDevice,
  type: string,
  { command_id, status }: { command_id?: string; status?: string },
): Promise<void> {
  if (type === 'device.connected') {
    live.replaced = true
    return live.close(closing.replaced, 'The device has opened a newer connection')
  }
  if (type === 'device.command.updated' && (status === 'cancelled' || status === 'timed_out'))
    live.send({ type: 'cancel', id: command_id })
  if (type === 'device.updated' || type === 'device.command.updated') await checkDevice(live)
}
