import { consumeEvents } from '../events/consumer.ts'
import { reports, waits } from './push-types.ts'

/** Notifies browsers and phones, also while no page is open. */
export const pushes = consumeEvents({
  name: 'pushes',
  // A phone is notified while it is not connected.
  retyped_by: ['notified_browser.created', 'device.disconnected'],
  async types(host) {
    const [{ anyNotified }, { anyPushed }] = await Promise.all([
      import('./browser-store.ts'),
      import('./device-store.ts'),
    ])
    return (await anyNotified(host)) || (await anyPushed(host)) ? [...waits, ...reports] : []
  },
  consume: async (events, host) => (await import('./pushed.ts')).queuePushes(events, host),
})
