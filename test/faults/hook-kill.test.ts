import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HookRun } from '../../runtime/hooks/hook-run-store.ts'
import type { Hook } from '../../runtime/hooks/hooks.ts'
import type { Incoming } from '../../runtime/hooks/incoming.ts'
import type { Received } from '../../runtime/hooks/received-store.ts'
import type { Webhook } from '../../runtime/hooks/webhooks.ts'
import { eventually } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills of one run; more of them with the variable KILLS, others with SEED. */
const kills = Number(process.env.KILLS ?? 4)
const seed = Number(process.env.SEED ?? 20261123)

let service: Service
/** What a receiver of webhooks has got: the name of the loop by the id of the message. */
const received: { id: string; name: string }[] = []
const receiver = createServer(async (request, response) => {
  const { data } = JSON.parse(await readText(request)) as { data: { name: string } }
  received.push({ id: String(request.headers['webhook-id']), name: data.name })
  response.writeHead(204).end()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  service = await Service.start({ SERVICE_OUTBOUND_ALLOWLIST: `127.0.0.1:${port}` })
})

afterAll(async () => {
  await service.kill()
  receiver.closeAllConnections()
  receiver.close()
})

/** Repeats a request until it is acknowledged. */
async function acknowledged(path: string, body: object, headers: Record<string, string>): Promise<void> {
  for (;;) {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.key}`, ...headers },
      body: JSON.stringify(body),
    }).catch(() => null)
    if (response?.ok) return
    await sleep(100)
  }
}

test(
  `${kills} kills lose no event, no delivery and no received message, and start nothing twice`,
  async () => {
    const random = seeded(seed)
    const { port } = receiver.address() as AddressInfo
    const events = ['loop.created']
    const hook = await service.read<Hook>('POST', '/api/hooks', {
      name: 'Note',
      events,
      action: { kind: 'notify', message: '{{ data.name }}' },
    })
    const webhook = await service.read<Webhook>('POST', '/api/webhooks', {
      name: 'Out',
      url: `http://127.0.0.1:${port}/`,
      events,
      ordered: true,
    })
    const workflow = await service.read<{ id: string }>('POST', '/api/workflows', {
      name: 'Count',
      nodes: [{ id: 'start', type: 'trigger.manual', name: 'Start' }],
    })
    const incoming = await service.read<Incoming>('POST', '/api/webhooks/incoming', {
      name: 'In',
      auth: { kind: 'none' },
      action: { kind: 'workflow', workflow_id: workflow.id },
      rate_limit: 1_000,
    })
    const names: string[] = []
    for (let kill = 0; kill <= kills; kill += 1) {
      const end = performance.now() + 200 + random() * 1_000
      const crash = kill < kills ? sleep(100 + random() * 900).then(() => service.kill()) : Promise.resolve()
      const load = (async () => {
        while (performance.now() < end) {
          const name = `loop-${names.length}`
          names.push(name)
          await acknowledged('/api/loops', { goal: name, name }, { 'idempotency-key': name })
          await acknowledged(incoming.path, { name }, { 'idempotency-key': name })
        }
      })()
      await crash
      if (kill < kills) await service.restart()
      await load
    }

    await eventually(async () => {
      const [hooked, out] = await Promise.all([
        service.read<Hook>('GET', `/api/hooks/${hook.id}`),
        service.read<Webhook>('GET', `/api/webhooks/${webhook.id}`),
      ])
      return hooked.runs === names.length && out.pending === 0 && received.length >= names.length
    })
    const { runs } = await eventually(async () => {
      const found = await service.read<{ runs: HookRun[] }>('GET', `/api/hooks/${hook.id}/runs?limit=200`)
      return found.runs.every(({ status }) => status === 'succeeded') && found
    })
    expect(runs).toHaveLength(names.length)
    // In order, and a repeat has the id of the first.
    const first = received.filter(({ id }, at) => received.findIndex((one) => one.id === id) === at)
    expect(first.map(({ name }) => name)).toEqual(names)

    const { deliveries } = await eventually(async () => {
      const found = await service.read<{ deliveries: Received[] }>(
        'GET',
        `/api/webhooks/incoming/${incoming.id}/deliveries?limit=200`,
      )
      return found.deliveries.every(({ status }) => status === 'succeeded') && found
    })
    expect(deliveries).toHaveLength(names.length)
    const { total } = await service.read<{ total: number }>('GET', `/api/workflows/${workflow.id}/executions`)
    expect(total).toBe(names.length)
  },
  60_000 + kills * 30_000,
)
