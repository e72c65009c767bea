import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import type { DeviceCommand, DeviceToken } from '../../runtime/devices/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills of one run; more of them with the variable KILLS. */
const kills = Number(process.env.KILLS ?? 3)
const seed = 20261123
const count = 30

let service: Service

beforeAll(async () => {
  service = await Service.start()
})

afterAll(() => service.kill())

/** A device as its client is written: it stores what has arrived before it works on it. */
class Device {
  readonly executed: string[] = []
  #received = 0
  #results = new Set<string>()
  #socket: WebSocket | null = null

  async connect({ device_token }: DeviceToken): Promise<void> {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/device/ws?token=${device_token}`)
    socket.on('error', () => undefined)
    const say = (frame: object) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame))
    }
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data))
      if (frame.type === 'welcome') for (const id of this.#results) say({ type: 'result', id, ok: true })
      if (frame.type === 'received' || frame.type === 'refused') this.#results.delete(frame.id)
      if (frame.type !== 'command' || frame.seq <= this.#received) return
      this.#received = frame.seq
      this.executed.push(frame.id)
      this.#results.add(frame.id)
      say({ type: 'ack', id: frame.id })
      say({ type: 'result', id: frame.id, ok: true })
    })
    await once(socket, 'open')
    const running = [...this.#results]
    say({ type: 'hello', capabilities: ['notify'], received: this.#received, running })
    this.#socket = socket
  }

  close(): void {
    this.#socket?.close()
  }
}

test('a daemon that is killed again and again runs each command once and in order', async () => {
  const random = seeded(seed)
  const { code } = await service.read<{ code: string }>('POST', '/api/devices/pairing-codes', {})
  const about = { code, name: 'Phone', platform: 'android', capabilities: ['notify'] }
  const token = await service.read<DeviceToken>('POST', '/api/auth/device/pair', about)
  const path = `/api/devices/${token.device_id}/commands`
  const body = { command: 'notify', params: { title: 'Tea' }, queue_if_offline: true, timeout_seconds: 3_600 }
  const device = new Device()
  const acknowledged: string[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    await device.connect(token)
    for (let sent = 0; sent < count; sent += 1)
      acknowledged.push((await service.read<DeviceCommand>('POST', path, body)).id)
    const enough = device.executed.length + Math.floor(random() * 5)
    await eventually(() => device.executed.length >= Math.min(enough, acknowledged.length))
    await service.kill()
    await service.restart()
  }
  await device.connect(token)
  await eventually(() => device.executed.length >= acknowledged.length)
  expect(device.executed).toEqual(acknowledged)
  const { total } = await eventually(async () => {
    const found = await service.read<{ total: number }>('GET', `${path}?status=succeeded`)
    return found.total === acknowledged.length && found
  })
  expect(total).toBe(kills * count)
  device.close()
})
