import { expect, test } from 'vitest'
import { endpoints } from '../../handlers/index.ts'
import { admin } from '../../handlers/auth/setup.ts'
import { me } from '../../handlers/auth/session.ts'
import { SetupResult } from '../../runtime/auth/schema.ts'
import { serve } from '../../runtime/http/serve.ts'
import { requestFor } from '../support/call.ts'
import { peer, testHost } from '../support/host.ts'

const handle = serve(endpoints)
const body = { username: 'ada', password: 'correct horse battery' }

test('setup creates the first user, key and session, and ends bootstrap mode', async () => {
  const host = await testHost()
  const response = await handle(requestFor(admin, { body }), host, peer)

  expect(response.status).toBe(201)
  const { user, api_key, session } = SetupResult.parse(await response.json())
  expect(user).toMatchObject({ username: 'ada', role: 'admin', display_name: 'ada' })
  for (const secret of [api_key.key, session.token]) {
    const answer = await handle(requestFor(me, { headers: { authorization: `Bearer ${secret}` } }), host, peer)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ user: { username: 'ada' } })
  }
})
