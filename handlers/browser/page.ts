import { z } from 'zod'
import { Snapshot } from '../../runtime/browser/schema.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'

const tab_id = z.string().max(64).optional()

export const snapshot = endpoint({
  method: 'GET',
  path: '/api/browser/snapshot',
  summary: 'What a person could use on the page, as numbered lines',
  query: z.object({
    max_chars: z.coerce.number().int().min(200).max(1_000_000).optional(),
    viewport: queryBoolean.optional(),
    diff: queryBoolean.optional(),
    tab_id,
  }),
  returns: Snapshot,
  async run({ query }, context) {
    return withBrowser(context, (browser) => browser.snapshot(given(query)))
  },
})

export const text = endpoint({
  method: 'GET',
  path: '/api/browser/text',
  summary: 'The readable text of the page',
  query: z.object({ max_chars: z.coerce.number().int().min(1).max(1_000_000).optional(), tab_id }),
  returns: z.object({ url: z.string(), title: z.string(), text: z.string() }),
  async run({ query }, context) {
    return withBrowser(context, (browser) => browser.text(given(query)))
  },
})

export const pdf = endpoint({
  method: 'GET',
  path: '/api/browser/pdf',
  summary: 'The page as a PDF',
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
  summary: 'Run an expression in the page and answer its result as JSON',
  access: 'admin',
  idempotent: false,
  body: z.object({ expression: z.string().min(1).max(100_000), tab_id }),
  returns: z.object({ result: z.unknown() }),
  async run({ body }, context) {
    const result = await withBrowser(context, (browser) => browser.evaluate(body.expression, body.tab_id))
    return { result }
  },
})

/** Without the members that were left out, as the port takes it. */
function given<Options extends object>(
  options: Options,
): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never
}
