import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Alarms } from '../../../adapters/worker/alarms.ts'
import { bundleWorker } from '../../../adapters/worker/bundle.ts'
import { resumeFollowing } from '../../../runtime/events/follow.ts'
import { day, hour } from '../../../runtime/time.ts'
import { insertWork } from '../../../runtime/work/store.ts'
import { startWorkerd } from '../../hosts/workerd.ts'
import { testHost } from '../../support/host.ts'

let workerd: Miniflare
let url: string
let key: string
const log: string[] = []

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

beforeAll(async () => {
  const { modules } = await bundleWorker({ entry: 'adapters/worker/worker.ts' })
  workerd = startWorkerd({ modules, on_log: (message) => log.push(message) })
  url = (await workerd.ready).origin
  const admin = { username: 'ada', password: 'correct horse battery' }
  key = (await (await send('POST', '/api/setup/admin', admin, { 'x-setup-token': 'let me in' })).json()).api_key.key
})
afterAll(() => workerd.dispose())

const sleep = () => workerd.unsafeEvictDurableObject('hearthd', 'Hearth', { name: 'hearthd', webSockets: 'hibernate' })

async function connect(token: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/events?token=${token}`)
  const frames: { type: string; data: Record<string, string> }[] = []
  const waiting: (() => void)[] = []
  socket.addEventListener('message', ({ data }) => {
    frames.push(JSON.parse(String(data)))
    for (const resume of waiting.splice(0)) resume()
  })
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const next = async () => {
    while (frames.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    return frames.shift()
  }
  return { socket, frames, closed, next }
}

const converse = async (title: string) => (await send('POST', '/api/chat/conversations', { title })).status

test('a socket stays open while its object sleeps, and misses and repeats nothing', async () => {
  const { socket, frames, closed, next } = await connect(key)
  socket.send(JSON.stringify({ type: 'subscribe', types: ['conversation.*'] }))
  socket.send('not JSON')
  await next()
  for (const title of ['One', 'Two', 'Three']) {
    await sleep()
    await send('POST', '/api/agents', { name: title })
    expect(await converse(title)).toBe(201)
    expect(await next()).toMatchObject({ type: 'conversation.created' })
  }
  await sleep()
  socket.send(JSON.stringify({ type: 'subscribe', types: ['agent.*'] }))
  await sleep()
  await converse('Four')
  await send('POST', '/api/agents', { name: 'Last' })
  expect(await next()).toMatchObject({ type: 'agent.created' })
  expect(frames).toEqual([])
  socket.close()
  expect(await closed).toBe(1000)
})

test('what is due wakes the object, whose sockets report it', async () => {
  const { socket, next } = await connect(key)
  socket.send(JSON.stringify({ type: 'subscribe', types: ['job.run.*'] }))
  const schedule = { type: 'at', datetime: new Date(Date.now() + 1_500).toISOString() }
  const job = await send('POST', '/api/scheduler/jobs', { name: 'Tea', goal: 'Remind me of the tea', schedule })
  expect(job.status).toBe(201)
  await sleep()

  expect(await next()).toMatchObject({ type: 'job.run.started' })
  socket.close()
})

test('a revoked key closes the sockets that it opened before the object slept', async () => {
  const { id, key: short } = await (await send('POST', '/api/auth/keys', { name: 'Short', scopes: ['read'] })).json()
  const { closed } = await connect(short)
  await sleep()
  await send('DELETE', `/api/auth/keys/${id}`)

  expect(await closed).toBe(4401)
})

test('the frame that is kept is small whatever a client sends', () => {
  const types = Array.from({ length: 100 }, (_, index) => `${'é'.repeat(90)}${index}`)
  const full = Array.from({ length: 100 }, (_, index) => `${index}.`.padEnd(100, 'x'))
  const kept = (frame: object) => resumeFollowing(JSON.stringify({ type: 'subscribe', ...frame }))

  expect(kept({ types, since_seq: 7 })).toBe('{"type":"subscribe","types":[]}')
  expect(kept({ types: full })?.length).toBeLessThan(14 * 1024)
  expect(resumeFollowing('not JSON')).toBeNull()
})

test('an idle object sleeps until something is due', async () => {
  const host = await testHost()
  const set: number[] = []
  const alarms = new Alarms({ setAlarm: async (at) => void set.push(at) })
  const now = host.clock.now()
  await alarms.run(host)
  await host.sql.write([insertWork(host, { kind: 'none', subject: 's', due: now + hour }).statement])
  await alarms.run(host)

  expect(set).toEqual([now + day, now + hour])
})

test('none of this logged an error', () => {
  expect(log).toEqual([])
})
