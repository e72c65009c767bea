import { commit } from '../events/commit.ts'
import { eventsTopic } from '../events/event.ts'
import type { Host } from '../host.ts'
import { browserConfig, browserEmulation, browserProfile, readSetup } from './settings.ts'

const sections: readonly string[] = [browserConfig, browserProfile, browserEmulation].map(({ name }) => name)

/** Tells of the browser's coming and going, and the browser of every change of its settings, whoever made it. */
export function followBrowser(host: Host): void {
  host.browser.onChange((change) => {
    if (host.process.stopping.aborted) return
    const event = { type: `browser.${change}`, data: {} }
    void commit(host, [], [event]).catch((cause: unknown) =>
      host.log.write('warn', 'a change of the browser could not be announced', { change, cause }),
    )
  })
  host.bus.subscribe(eventsTopic, ({ type, data }) => {
    const { section } = data as { section?: string }
    if (type !== 'settings.updated' || !section || !sections.includes(section)) return
    if (host.browser.status().running) void applySetup(host)
  })
}

async function applySetup(host: Host): Promise<void> {
  try {
    await host.browser.configure(await readSetup(host))
  } catch (cause) {
    host.log.write('warn', 'the browser did not take its settings', { cause })
  }
}
