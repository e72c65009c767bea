import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { startLibsqlServer } from '../fixtures/libsql-server/server.ts'
import { dataFolder, eventually } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'
import { checkSlots, rowsOf } from './slots.ts'

/** Three daemons on one database server, each with a data folder of its own. */
async function threeDaemons() {
  const file = join(dataFolder(), 'server.db')
  const server = await startLibsqlServer(file)
  const first = await Service.start({
    SERVICE_DATABASE_URL: server.url,
    SERVICE_SECRET_KEY: 'one key for all daemons',
    SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1',
  })
  const daemons = [first, await Service.beside(first), await Service.beside(first)]
  const end = async () => {
    await Promise.all(daemons.map((daemon) => daemon.end('SIGTERM')))
    await server.close()
  }
  return { file, server, first, daemons, end }
}

/** A receiver of webhooks: the ids of the deliveries that it got, by path. */
async function startReceiver() {
  const received = new Map<string, string[]>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const id = String(request.headers['webhook-id'])
    await json(request)
    received.set(path, [...(received.get(path) ?? []), id])
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, received, close }
}

/** Makes agents, each at a daemon that happens to live, until it is stopped. */
function writeUntilStopped(daemons: readonly Service[], random: () => number) {
  const acknowledged: string[] = []
  const waits: { count: number; resolve: () => void }[] = []
  let stopped = false
  const write = async (writer: number) => {
    for (let number = 0; !stopped; number += 1) {
      const alive = daemons.filter((daemon) => daemon.alive)
      const daemon = alive[Math.floor(random() * alive.length)]
      const name = `Writer ${writer} number ${number}`
      // Whoever is killed answers nothing; then the agent may be stored or not.
      const answer = await daemon?.send('POST', '/api/agents', { name }).catch(() => null)
      if (answer?.status === 201) acknowledged.push(name)
      await answer?.body?.cancel()
      for (const { count, resolve } of waits) if (acknowledged.length >= count) resolve()
    }
  }
  const writers = [0, 1].map(write)
  return {
    acknowledged,
    /** Resolves when so many more were acknowledged. */
    more(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      waits.push({ count: acknowledged.length + count, resolve })
      return promise
    },
    async stop() {
      stopped = true
      await Promise.all(writers)
    },
  }
}

const countsOf = (file: string, sql: string) => rowsOf<{ name: string; count: number }>(file, sql)

const seeds = (process.env.SEEDS ?? '1').split(',').map(Number)

test.each(seeds)(
  'three daemons killed at random: nothing is lost and nothing happens twice (seed %i)',
  async (seed) => {
    const random = seeded(seed)
    const { file, first, daemons, end } = await threeDaemons()
    const receiver = await startReceiver()
    const { id } = await first.read<{ id: string }>('POST', '/api/workflows', {
      name: 'Begin',
      nodes: [{ id: 'start', type: 'trigger.manual', name: 'Start' }],
    })
    const target = { kind: 'workflow', id }
    for (let index = 0; index < 2; index += 1) {
      const schedule = { type: 'every', interval: 2 }
      await first.read<Job>('POST', '/api/scheduler/jobs', {
        name: 'Often',
        goal: '{}',
        target,
        schedule,
        overlap: 'allow',
      })
    }
    for (const name of ['one', 'two']) {
      const webhook = { name, url: `${receiver.url}/${name}`, events: ['agent.created'] }
      await first.read('POST', '/api/webhooks', webhook)
    }

    const writers = writeUntilStopped(daemons, random)
    for (let round = 0; round < 6; round += 1) {
      await writers.more(1 + Math.floor(random() * 30))
      const daemon = daemons[Math.floor(random() * daemons.length)] as Service
      await daemon.kill()
      if (random() < 0.5) await writers.more(1 + Math.floor(random() * 20))
      await daemon.restart()
    }
    await writers.stop()
    const { jobs } = await first.read<{ jobs: Job[] }>('GET', '/api/scheduler/jobs?limit=200')
    for (const { id } of jobs) await first.read('POST', `/api/scheduler/jobs/${id}/pause`)
    // What a daemon ran that was killed is taken over when its lease has ended.
    await eventually(() => {
      const open = `SELECT 1 FROM work WHERE finished_at IS NULL AND kind IN ('scheduler.run', 'scheduler.end', 'workflows.step')`
      const pending = `SELECT 1 FROM webhook_deliveries WHERE status = 'pending'`
      const written = `SELECT 1 FROM events WHERE type = 'agent.created' AND seq > (
      SELECT min(cursor) FROM event_consumers WHERE name = 'webhooks')`
      return [open, pending, written].every((sql) => rowsOf(file, sql).length === 0)
    })
    await end()
    receiver.close()

    checkSlots(file, 2)
    const stored = countsOf(file, `SELECT name, count(*) AS count FROM agents WHERE name LIKE 'Writer %' GROUP BY name`)
    const names = new Set(stored.map(({ name }) => name))
    expect(writers.acknowledged.filter((name) => !names.has(name))).toEqual([])
    expect(stored.filter(({ count }) => count !== 1)).toEqual([])
    const events = rowsOf<{ id: string }>(
      file,
      `SELECT data ->> '$.agent_id' AS id FROM events WHERE type = 'agent.created' AND data ->> '$.name' LIKE 'Writer %'`,
    )
    const subscribers = rowsOf<{ id: string; name: string }>(
      file,
      `SELECT id, settings ->> '$.name' AS name FROM webhooks`,
    )
    expect(subscribers).toHaveLength(2)
    for (const { id, name } of subscribers) {
      const deliveries = rowsOf<{ id: string; about: string; status: string }>(
        file,
        `SELECT id, payload ->> '$.data.agent_id' AS about, status FROM webhook_deliveries WHERE webhook_id = '${id}'`,
      )
      expect(deliveries.map(({ about }) => about).sort()).toEqual(events.map((event) => event.id).sort())
      expect(deliveries.filter(({ status }) => status !== 'succeeded')).toEqual([])
      expect(new Set(receiver.received.get(`/${name}`))).toEqual(new Set(deliveries.map((delivery) => delivery.id)))
    }
  },
)

test('a client of one daemon sees what another one did, and is closed when its key is rotated there', async () => {
  const { first, daemons, end } = await threeDaemons()
  const [, second] = daemons as [Service, Service, Service]
  const socket = new WebSocket(`${second.url.replace('http', 'ws')}/ws/events?token=${second.key}`)
  await once(socket, 'open')
  const types: string[] = []
  socket.addEventListener('message', ({ data }) => void types.push((JSON.parse(data) as { type: string }).type))
  await first.read('POST', '/api/agents', { name: 'Written at the first daemon' })
  await eventually(() => types.includes('agent.created'))

  const closed = once(socket, 'close')
  const { keys } = await first.read<{ keys: { id: string }[] }>('GET', '/api/auth/keys')
  await first.read('POST', `/api/auth/keys/${keys[0]?.id}/rotate`)
  const [{ code }] = (await closed) as [{ code: number }]
  expect(code).toBe(4401)
  await end()
})

test('a daemon that loses the database server is not ready, and resumes by itself', async () => {
  const { file, server, first, end } = await threeDaemons()
  const socket = new WebSocket(`${first.url.replace('http', 'ws')}/ws/events?token=${first.key}`)
  await once(socket, 'open')
  const frames: string[] = []
  socket.addEventListener('message', ({ data }) => void frames.push(String(data)))
  const ready = async () => (await fetch(`${first.url}/health/ready`)).status
  await server.close()
  await eventually(async () => (await ready()) === 503)
  const refused = await first.send('POST', '/api/agents', { name: 'Nowhere' })
  expect([refused.status, (await refused.json()).message]).toEqual([503, expect.stringContaining('database server')])
  await eventually(() => first.said().includes('the database server cannot be reached'))

  const again = await startLibsqlServer(file, undefined, Number(new URL(server.url).port))
  await eventually(async () => (await ready()) === 200)
  await first.read('POST', '/api/agents', { name: 'Somewhere' })
  await eventually(() => frames.includes('{"type":"store","data":{"reachable":true}}'))
  expect(frames).toContain('{"type":"store","data":{"reachable":false}}')
  await end()
  await again.close()
})
