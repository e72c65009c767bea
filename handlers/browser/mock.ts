import { z } from 'zod'
import { Mock } from '../../runtime/browser/schema.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/browser/mock',
  summary: 'List the mocks, the newest first; the newest that fits a request answers it',
  returns: z.object({ mocks: z.array(Mock) }),
  run: (_, context) => ({ mocks: context.browser.status().mocks.slice() }),
})

export const create = endpoint({
  method: 'POST',
  path: '/api/browser/mock',
  summary: 'Answer requests to some addresses in the place of the network; the newest mock that fits wins',
  body: Mock,
  returns: Mock,
  status: 201,
  async run({ body }, context) {
    await withBrowser(context, (browser) => browser.mock(body))
    return body
  },
})

export const clear = endpoint({
  method: 'DELETE',
  path: '/api/browser/mock',
  summary: 'Forget all mocks',
  returns: z.object({ cleared: z.number().int() }),
  async run(_, context) {
    return { cleared: await withBrowser(context, (browser) => browser.clearMocks()) }
  },
})
