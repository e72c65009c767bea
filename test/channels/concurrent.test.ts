import { expect, test } from 'vitest'
import * as channels from '../../handlers/channels/channels.ts'
import { findChannel } from '../../runtime/channels/channel-store.ts'
import type { Platform } from '../../runtime/channels/platform.ts'
import { call } from '../support/call.ts'
import { workOff } from '../support/work.ts'
import { channelHost } from './kit.ts'

test('concurrent changes of settings and of credentials are all kept', async () => {
  const { host, channel } = await channelHost()
  const params = { id: channel.id }
  const bodies = [
    { settings: { dm_policy: 'open' } },
    { settings: { messages_per_hour: 7 } },
    { credentials: { room: 'kitchen' } },
    { credentials: { bot_token: 'another-token-5678' } },
    { name: 'Home' },
  ]
  const answers = await Promise.all(bodies.map((body) => call(channels.update, host, { params, body })))

  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
  expect(await (await call(channels.show, host, { params })).json()).toMatchObject({
    name: 'Home',
    settings: { dm_policy: 'open', messages_per_hour: 7 },
    credentials: { bot_token: { hint: '…5678' }, room: { configured: true } },
  })
})

test.each([
  ['new credentials', { credentials: { bot_token: 'another-token-5678' } }],
  ['being disabled', { enabled: false }],
])('a connection that ends after %s stores neither its cursor nor its status', async (_, body) => {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  let connections = 0
  const listen: Platform['listen'] = async (_cursor, _connection, _context, listener) => {
    connections += 1
    if (connections > 1) throw new Error('connected again')
    started.resolve()
    await ended.promise
    await listener.connected('old account')
    return { reason: 'closed', cursor: 'old account', retry_after_seconds: 0 }
  }
  const { host, channel } = await channelHost({ platform: { listen } })
  const work = workOff(host)
  await started.promise
  await call(channels.update, host, { params: { id: channel.id }, body })
  ended.resolve()
  await work

  const stored = await findChannel(host, channel.id)
  expect(stored?.cursor).toBeNull()
  expect(stored?.status).not.toBe('connected')
})

test('concurrent changes of a binding are all kept, and a deleted one stays deleted', async () => {
  const { host, channel } = await channelHost()
  const body = { channel_id: channel.id, match: {} }
  const binding = await (await call(channels.createBinding, host, { body })).json()
  const params = { id: binding.id }
  const change = (changes: object) => call(channels.updateBinding, host, { params, body: changes })
  await Promise.all([change({ match: { peer_id: 'ada' } }), change({ session_scope: 'main' })])
  expect(await (await call(channels.showBinding, host, { params })).json()).toMatchObject({
    match: { peer_id: 'ada' },
    session_scope: 'main',
  })

  const answers = await Promise.all([
    call(channels.deleteBinding, host, { params }),
    change({ session_scope: 'per_peer' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, expect.toSatisfy((status) => status >= 404)])
  expect((await call(channels.showBinding, host, { params })).status).toBe(404)
})
