import { z } from 'zod'
import { holds } from '../../runtime/auth/caller.ts'
import { Cookie } from '../../runtime/browser/schema.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { invalidField } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/browser/cookies',
  summary: 'List the cookies; their values are shown to callers with the scope write',
  returns: z.object({ cookies: z.array(Cookie) }),
  async run(_, context) {
    const cookies = await withBrowser(context, (browser) => browser.cookies())
    const open = holds(context.caller, 'write')
    return { cookies: open ? cookies : cookies.map((cookie) => ({ ...cookie, value: '' })) }
  },
})

export const add = endpoint({
  method: 'POST',
  path: '/api/browser/cookies',
  summary: 'Set cookies, each for a url or a domain',
  body: z.object({ cookies: z.array(Cookie).min(1).max(1_000) }),
  returns: z.object({ cookies: z.array(Cookie) }),
  status: 201,
  async run({ body }, context) {
    const nowhere = body.cookies.findIndex(({ url, domain }) => url === undefined && domain === undefined)
    if (nowhere >= 0) throw invalidField(`cookies.${nowhere}`, 'needs a url or a domain')
    const cookies = await withBrowser(context, async (browser) => {
      await browser.addCookies(body.cookies)
      return browser.cookies()
    })
    return { cookies }
  },
})

export const clear = endpoint({
  method: 'DELETE',
  path: '/api/browser/cookies',
  summary: 'Delete every cookie',
  returns: z.object({ deleted: z.literal(true) }),
  async run(_, context) {
    await withBrowser(context, (browser) => browser.clearCookies())
    return { deleted: true }
  },
})
