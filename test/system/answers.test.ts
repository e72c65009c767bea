import { expect, test } from 'vitest'
import { areas } from '../../handlers/index.ts'
import { serve } from '../../runtime/http/serve.ts'
import { peer, setUpAdmin, testHost } from '../support/host.ts'

async function home() {
  const host = await testHost()
  const { session } = await setUpAdmin(host)
  const handle = serve(areas)
  return async (of: string, token = session.token) => {
    const url = `http://127.0.0.1:18781/api/answers?${new URLSearchParams({ of })}`
    const headers = { authorization: `Bearer ${token}` }
    const response = await handle(new Request(url, { headers }), host, peer)
    return { status: response.status, body: await response.json() }
  }
}

test('several answers come in one response, each under its address', async () => {
  const get = await home()
  const { status, body } = await get('/api/auth/me /api/scheduler/jobs?limit=1 /api/settings/interface')

  expect(status).toBe(200)
  expect(body).toMatchObject({
    '/api/auth/me': { user: { username: 'ada' } },
    '/api/scheduler/jobs?limit=1': { jobs: [], limit: 1 },
    '/api/settings/interface': { density: expect.any(String) },
  })
})

test('what an endpoint refuses is left out, as are unknown addresses, files, streams and itself', async () => {
  const get = await home()
  const refused = [
    '/api/scheduler/jobs/job_none',
    '/api/scheduler/jobs?limit=x',
    '/api/nothing',
    '/api/docs',
    '/api/auth/ws-ticket',
    '/api/answers?of=/api/inbox',
  ]
  const { body } = await get(['/api/inbox', ...refused].join(' '))

  expect(Object.keys(body)).toEqual(['/api/inbox'])
})

test('each endpoint checks the caller itself', async () => {
  const get = await home()

  expect(await get('/api/inbox', 'nobody')).toMatchObject({ status: 401 })
  expect(await get('http://elsewhere.example/api/inbox')).toMatchObject({
    status: 400,
    body: { message: 'of must name an address that begins with /api/' },
  })
  expect(await get(Array(21).fill('/api/inbox').join(' '))).toMatchObject({ status: 400 })
})
