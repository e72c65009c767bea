import { z } from 'zod'
import { ActionResult } from '../../runtime/browser/schema.ts'
import { performAct, withBrowser } from '../../runtime/browser/use.ts'
import type { Context } from '../../runtime/context.ts'
import { notFound } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, queryBoolean } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'
import { reference } from '../../runtime/references.ts'
import { Action, Snapshot, Tab } from '../../runtime/tabs/schema.ts'
import { defined } from '../../runtime/values.ts'

export const act = endpoint({
  method: 'POST',
  path: '/api/browser/action',
  owner: 'none',
  summary: 'Perform one act; a failed one is a 422 with code and hint',
  body: Action,
  returns: ActionResult,
  acts_outside: true,
  async run({ body }, context) {
    return performAct(context, body)
  },
})

const tab_id = reference('tab', 64).optional()

export const snapshot = endpoint({
  method: 'GET',
  path: '/api/browser/snapshot',
  owner: 'none',
  summary: 'List what a person could use on the page, as numbered lines',
  query: z.object({
    max_chars: z.coerce.number().int().min(200).max(1_000_000).optional(),
    viewport: queryBoolean.optional(),
    diff: queryBoolean.optional(),
    tab_id,
  }),
  returns: Snapshot,
  async run({ query }, context) {
    return withBrowser(context, (browser) => browser.snapshot(defined(query)))
  },
})

export const text = endpoint({
  method: 'GET',
  path: '/api/browser/text',
  owner: 'none',
  summary: 'Get the readable text of the page',
  query: z.object({ max_chars: z.coerce.number().int().min(1).max(1_000_000).optional(), tab_id }),
  returns: z.object({ url: z.string(), title: z.string(), text: z.string() }),
  async run({ query }, context) {
    return withBrowser(context, (browser) => browser.text(defined(query)))
  },
})

export const pdf = endpoint({
  method: 'GET',
  path: '/api/browser/pdf',
  owner: 'none',
  summary: 'Get the page as a PDF',
  query: z.object({ tab_id }),
  returns: file('application/pdf'),
  async run({ query }, context) {
    const bytes = await withBrowser(context, (browser) => browser.pdf(query.tab_id))
    return new Response(bytes as BodyInit, {
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': 'attachment; filename="page.pdf"',
      },
    })
  },
})

export const evaluate = endpoint({
  method: 'POST',
  path: '/api/browser/evaluate',
  summary: 'Evaluate an expression in the page and return its result as JSON',
  access: 'admin',
  idempotent: false,
  body: z.object({ expression: z.string().min(1).max(100_000), tab_id }),
  returns: z.object({ result: z.unknown() }),
  async run({ body }, context) {
    const result = await withBrowser(context, (browser) => browser.evaluate(body.expression, body.tab_id))
    return { result }
  },
})

const format = z.enum(['jpeg', 'png']).default('png')
const returns = file('image/png', 'image/jpeg')

export const screenshot = endpoint({
  method: 'GET',
  path: '/api/browser/screenshot',
  owner: 'none',
  summary: 'Take a screenshot',
  query: z.object({
    format,
    quality: z.coerce.number().int().min(1).max(100).optional(),
    full_page: queryBoolean.optional(),
    tab_id,
  }),
  returns,
  run: ({ query }, context) => picture(context, query),
})

export const takeScreenshot = endpoint({
  method: 'POST',
  path: '/api/browser/screenshot',
  owner: 'none',
  summary: 'Take a screenshot; quality applies to jpeg',
  idempotent: false,
  body: z.object({
    format,
    quality: z.number().int().min(1).max(100).optional(),
    full_page: z.boolean().optional(),
    tab_id,
  }),
  body_optional: true,
  returns,
  run: ({ body }, context) => picture(context, body),
})

interface Wanted {
  format: 'jpeg' | 'png'
  quality?: number | undefined
  full_page?: boolean | undefined
  tab_id?: string | undefined
}

async function picture(context: Context, options: Wanted): Promise<Response> {
  const bytes = await withBrowser(context, (browser) => browser.screenshot(defined(options)))
  return new Response(bytes as BodyInit, {
    headers: { 'content-type': `image/${options.format}`, 'cache-control': 'no-store' },
  })
}

export const listTabs = endpoint({
  method: 'GET',
  path: '/api/browser/tabs',
  owner: 'none',
  summary: 'List the tabs; none while the browser is closed',
  returns: z.object({ tabs: z.array(Tab) }),
  async run(_, context) {
    const { running } = context.browser.status()
    return { tabs: running ? await withBrowser(context, (browser) => browser.tabs()) : [] }
  },
})

export const openTab = endpoint({
  method: 'POST',
  path: '/api/browser/tabs',
  owner: 'none',
  summary: 'Open a tab',
  body: z.object({ url: z.string().min(1).max(8_000).optional(), activate: z.boolean().optional() }),
  body_optional: true,
  returns: Tab,
  status: 201,
  async run({ body: { url, activate } }, context) {
    const options = defined({ url, activate })
    const tab = await withBrowser(context, (browser) => browser.openTab(options))
    return tab
  },
})

export const closeTab = endpoint({
  method: 'DELETE',
  path: '/api/browser/tabs/{tab_id}',
  owner: 'none',
  summary: 'Close a tab',
  returns: Deleted,
  async run({ params: { tab_id } }, context) {
    const { running } = context.browser.status()
    const closed = running && (await withBrowser(context, (browser) => browser.closeTab(tab_id)))
    if (!closed) throw notFound('The tab')
    return { deleted: true, id: tab_id }
  },
})

export const activateTab = endpoint({
  method: 'PUT',
  path: '/api/browser/tabs/{tab_id}/activate',
  owner: 'none',
  summary: 'Activate a tab',
  returns: Tab,
  async run({ params: { tab_id } }, context) {
    const { running } = context.browser.status()
    const tab = running ? await withBrowser(context, (browser) => browser.activateTab(tab_id)) : null
    if (!tab) throw notFound('The tab')
    return tab
  },
})
