import { z } from 'zod'
import { BrowserStatus } from '../../runtime/browser/schema.ts'
import { browserConfig } from '../../runtime/browser/settings.ts'
import { standingOf } from '../../runtime/browser/standing.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/browser/status',
  summary: 'Whether the browser runs, and what it shows',
  returns: BrowserStatus,
  async run(_, context) {
    const { running, current_url, tabs, started_at } = context.browser.status()
    const { backend } = await readSection(context, browserConfig)
    const uptime_seconds = started_at === null ? 0 : Math.max(0, (context.clock.now() - started_at) / 1_000)
    return { running, backend, current_url, tabs, uptime_seconds, ...standingOf(context) }
  },
})

export const close = endpoint({
  method: 'POST',
  path: '/api/browser/close',
  summary: 'Close the browser with its tabs and cookies; the next act opens a new one',
  returns: z.object({ closed: z.boolean() }),
  async run(_, context) {
    const closed = context.browser.status().running
    await context.browser.close()
    return { closed }
  },
})
