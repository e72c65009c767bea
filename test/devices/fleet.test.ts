import { expect, test } from 'vitest'
import { liveDevices } from '../../runtime/devices/live.ts'
import { second } from '../../runtime/time.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { approved, connect, quiet, sent, type TestSocket } from './kit.ts'

type Host = Awaited<ReturnType<typeof testHost>>

/** Numbers from 0 to 1 that are the same in every run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** An honest client, whose network is not: it remembers what has arrived, and keeps results until they are confirmed. */
class Client {
  readonly executed: string[] = []
  readonly #results = new Map<string, boolean>()
  readonly #host: Host
  readonly token: string
  readonly id: string
  #socket: TestSocket | null = null
  #seen = 0
  #received = 0

  constructor(host: Host, { device_id, device_token }: { device_id: string; device_token: string }) {
    this.#host = host
    this.id = device_id
    this.token = device_token
  }

  async connect(): Promise<void> {
    const running = [...this.#results.keys()]
    this.#seen = 0
    this.#socket = await connect(this.#host, this.token, {
      capabilities: ['notify'],
      received: this.#received,
      running,
    })
    for (const id of running) this.#socket.say({ type: 'result', id, ok: true })
  }

  /** Reads what has arrived and works on it. `replies` false: the answers are lost. */
  work(replies: boolean): void {
    const socket = this.#socket
    if (!socket || socket.closed !== null) return
    for (const frame of socket.frames.slice(this.#seen)) {
      if (frame.type === 'received' || frame.type === 'refused') this.#results.delete(frame.id)
      if (frame.type !== 'command' || frame.seq <= this.#received) continue
      this.#received = frame.seq
      this.executed.push(frame.id)
      this.#results.set(frame.id, true)
      if (!replies) continue
      socket.say({ type: 'ack', id: frame.id })
      socket.say({ type: 'result', id: frame.id, ok: true })
    }
    this.#seen = socket.frames.length
  }

  /** The connection ends and both sides know. */
  drop(): void {
    this.#socket?.leave()
    this.#socket = null
  }

  /** The connection ends and the daemon does not know: what it sends is lost. */
  vanish(): void {
    this.#socket = null
  }

  get isConnected(): boolean {
    return this.#socket !== null && this.#socket.closed === null
  }
}

test('200 devices survive storms, half-open connections and an outage: each command runs once, in order', async () => {
  const host = await testHost()
  const next = random(7)
  const clients: Client[] = []
  // One after the other, as attempts to pair are limited.
  for (let count = 0; count < 200; count += 1)
    clients.push(new Client(host, await approved(host, { name: `Device ${count}`, capabilities: ['notify'] })))
  const wanted = new Map<string, string[]>()
  const queue = async (client: Client) => {
    const body = {
      command: 'notify',
      params: { title: 'Tea' },
      queue_if_offline: true,
      timeout_seconds: 3_600,
    }
    const { id } = await sent(host, client.id, body)
    wanted.set(client.id, [...(wanted.get(client.id) ?? []), id])
  }

  for (let round = 0; round < 4; round += 1) {
    const lucks = clients.map(() => [next(), next()] as const)
    await Promise.all(
      clients.map(async (client, index) => {
        const [luck, replies] = lucks[index] ?? [0, 0]
        await queue(client)
        if (!client.isConnected || luck < 0.3) await client.connect()
        else if (luck < 0.45) client.drop()
        else if (luck < 0.6) client.vanish()
        client.work(replies < 0.7)
      }),
    )
    await quiet(host)
  }

  // An outage of 30 s: nobody hears anything, then all come back at once.
  for (const client of clients) client.vanish()
  await host.clock.advance(30 * second)
  await Promise.all(clients.map(queue))
  await Promise.all(clients.map((client) => client.connect()))
  expect(liveDevices(host).size).toBe(200)

  const isDone = () => clients.every((client) => client.executed.length === wanted.get(client.id)?.length)
  for (let turn = 0; turn < 40 && !isDone(); turn += 1) {
    for (const client of clients) client.work(true)
    await quiet(host)
  }
  await quiet(host)
  for (const client of clients) expect(client.executed).toEqual(wanted.get(client.id))
  const states = await host.sql.read('SELECT status, count(*) AS count FROM device_commands GROUP BY status')
  expect(states).toEqual([{ status: 'succeeded', count: 1_000 }])
  // Nothing is left of the connections that were replaced.
  for (const client of clients) client.drop()
  await quiet(host)
  expect(liveDevices(host).size).toBe(0)
  await workOff(host)
  expect(await host.sql.read(`SELECT kind FROM work WHERE status = 'queued' AND kind = 'devices.deadline'`)).toEqual([])
})
