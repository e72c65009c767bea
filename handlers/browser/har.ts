import { z } from 'zod'
import { requireAccess } from '../../runtime/auth/authorise.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { conflict } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'

export const start = endpoint({
  method: 'POST',
  path: '/api/browser/har/start',
  summary: 'Begin to archive what pages load; one that runs is begun anew',
  idempotent: false,
  returns: z.object({ recording: z.literal(true) }),
  async run(_, context) {
    await withBrowser(context, (browser) => browser.startHar())
    return { recording: true }
  },
})

export const stop = endpoint({
  method: 'POST',
  path: '/api/browser/har/stop',
  summary:
    'End the archive and read it, as HAR 1.2; credentials are blanked unless an administrator asks for them',
  idempotent: false,
  query: z.object({ keep_credentials: queryBoolean.default(false) }),
  returns: z.object({ log: z.looseObject({ version: z.literal('1.2') }) }),
  async run({ query }, context) {
    if (query.keep_credentials) requireAccess('admin', context)
    const har = await withBrowser(context, (browser) => browser.stopHar(query))
    if (har === null) throw conflict('No archive was started; POST /api/browser/har/start first')
    return har
  },
})
