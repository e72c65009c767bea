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

export const act = endpoint('POST /api/browser/action', {
  owner: 'none',
  summary: 'Perform an action; a failed action is a 422 with a code and a hint',
  body: Action,
  returns: ActionResult,
  acts_outside: true,
  run: ({ body }, context) => performAct(context, body),
})

const tab_id = reference('tab', 64).optional()

export const snapshot = endpoint('GET /api/browser/snapshot', {
  owner: 'none',
  summary: 'List the interactive elements of the page as numbered lines',
  query: z.object({
    max_chars: z.coerce.number().int().min(200).max(1_000_000).optional(),
    viewport: queryBoolean.optional(),
    diff: queryBoolean.optional(),
    tab_id,
  }),
  returns: Snapshot,
  run: ({ query }, context) => withBrowser(context, (browser) => browser.snapshot(defined(query))),
})

export const text = endpoint('GET /api/browser/text', {
  owner: 'none',
  summary: 'Get the readable text of the page',
  query: z.object({ max_chars: z.coerce.number().int().min(1).max(1_000_000).optional(), tab_id }),
  returns: z.object({ url: z.string(), title: z.string(), text: z.string() }),
  run: ({ query }, context) => withBrowser(context, (browser) => browser.text(defined(query))),
})

export const pdf = endpoint('GET /api/browser/pdf', {
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

export const evaluate = endpoint('POST /api/browser/evaluate', {
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

const Options = z.object({
  format: z.enum(['jpeg', 'png']).default('png'),
  quality: z.int().min(1).max(100).optional(),
  full_page: z.boolean().optional(),
  tab_id,
})
const returns = file('image/png', 'image/jpeg')

export const screenshot = endpoint('GET /api/browser/screenshot', {
  owner: 'none',
  summary: 'Take a screenshot',
  query: Options.extend({
    quality: z.coerce.number().int().min(1).max(100).optional(),
    full_page: queryBoolean.optional(),
  }),
  returns,
  run: ({ query }, context) => picture(context, query),
})

export const takeScreenshot = endpoint('POST /api/browser/screenshot', {
  owner: 'none',
  summary: 'Take a screenshot; quality applies to jpeg',
  idempotent: false,
  body: Options,
  body_optional: true,
  returns,
  run: ({ body }, context) => picture(context, body),
})

async function picture(context: Context, options: z.output<typeof Options>): Promise<Response> {
  const bytes = await withBrowser(context, (browser) => browser.screenshot(defined(options)))
  return new Response(bytes as BodyInit, {
    headers: { 'content-type': `image/${options.format}`, 'cache-control': 'no-store' },
  })
}

export const listTabs = endpoint('GET /api/browser/tabs', {
  owner: 'none',
  summary: 'List the tabs; none while the browser is closed',
  returns: z.object({ tabs: z.array(Tab) }),
  async run(_, context) {
    const { running } = context.browser.status()
    return { tabs: running ? await withBrowser(context, (browser) => browser.tabs()) : [] }
  },
})

export const openTab = endpoint('POST /api/browser/tabs', {
  owner: 'none',
  summary: 'Open a tab',
  body: z.object({ url: Action.shape.url, activate: z.boolean().optional() }),
  body_optional: true,
  returns: Tab,
  status: 201,
  async run({ body: { url, activate } }, context) {
    const options = defined({ url, activate })
    const tab = await withBrowser(context, (browser) => browser.openTab(options))
    return tab
  },
})

export const closeTab = endpoint('DELETE /api/browser/tabs/{tab_id}', {
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

export const activateTab = endpoint('PUT /api/browser/tabs/{tab_id}/activate', {
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
