import { z } from 'zod'
import { Tab } from '../../runtime/browser/schema.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { notFound } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted } from '../../runtime/http/page.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/browser/tabs',
  summary: 'List the tabs; none while the browser does not run',
  returns: z.object({ tabs: z.array(Tab) }),
  async run(_, context) {
    const { running } = context.browser.status()
    return { tabs: running ? await withBrowser(context, (browser) => browser.tabs()) : [] }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/browser/tabs',
  summary: 'Open a tab',
  body: z.object({ url: z.string().min(1).max(8_000).optional(), activate: z.boolean().optional() }),
  body_optional: true,
  returns: Tab,
  status: 201,
  async run({ body: { url, activate } }, context) {
    const options = { ...(url === undefined ? {} : { url }), ...(activate === undefined ? {} : { activate }) }
    const tab = await withBrowser(context, (browser) => browser.openTab(options))
    return tab
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/browser/tabs/{tab_id}',
  summary: 'Close a tab',
  returns: Deleted,
  async run({ params: { tab_id } }, context) {
    const { running } = context.browser.status()
    const closed = running && (await withBrowser(context, (browser) => browser.closeTab(tab_id)))
    if (!closed) throw notFound('The tab')
    return { deleted: true, id: tab_id }
  },
})

export const activate = endpoint({
  method: 'PUT',
  path: '/api/browser/tabs/{tab_id}/activate',
  summary: 'Make a tab the active one',
  returns: Tab,
  async run({ params: { tab_id } }, context) {
    const { running } = context.browser.status()
    const tab = running ? await withBrowser(context, (browser) => browser.activateTab(tab_id)) : null
    if (!tab) throw notFound('The tab')
    return tab
  },
})
