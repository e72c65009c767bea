import { z } from 'zod'
import { withBrowser } from '../../runtime/browser/use.ts'
import type { Context } from '../../runtime/context.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'

const format = z.enum(['jpeg', 'png']).default('png')
const tab_id = z.string().max(64).optional()
const returns = file('image/png', 'image/jpeg')

export const show = endpoint({
  method: 'GET',
  path: '/api/browser/screenshot',
  summary: 'A picture of what the browser shows',
  query: z.object({
    format,
    quality: z.coerce.number().int().min(1).max(100).optional(),
    full_page: queryBoolean.optional(),
    tab_id,
  }),
  returns,
  run: ({ query }, context) => picture(context, query),
})

export const take = endpoint({
  method: 'POST',
  path: '/api/browser/screenshot',
  summary: 'A picture of what the browser shows; quality counts for jpeg',
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

async function picture(context: Context, { format, quality, full_page, tab_id }: Wanted): Promise<Response> {
  const options = {
    format,
    ...(quality === undefined ? {} : { quality }),
    ...(full_page === undefined ? {} : { full_page }),
    ...(tab_id === undefined ? {} : { tab_id }),
  }
  const bytes = await withBrowser(context, (browser) => browser.screenshot(options))
  return new Response(bytes as BodyInit, {
    headers: { 'content-type': `image/${format}`, 'cache-control': 'no-store' },
  })
}
