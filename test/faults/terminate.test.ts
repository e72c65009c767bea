import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { readMarker } from '../../adapters/libsql/damage.ts'
import { slow, startWire } from '../fixtures/wire/index.ts'
import { dataFolder, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'

/** Writers that go on until the daemon is gone; every acknowledged id is in `stored`. */
function writers(daemon: RunningDaemon, headers: Record<string, string>, count: number) {
  const stored: string[] = []
  let stopped = false
  const one = async () => {
    while (!stopped) {
      const body = JSON.stringify({ content: `note ${stored.length}` })
      try {
        const response = await fetch(`${daemon.url}/api/memory/episodes`, { method: 'POST', headers, body })
        if (response.status === 201) stored.push(((await response.json()) as { id: string }).id)
      } catch {
        return
      }
    }
  }
  const all = Promise.all(Array.from({ length: count }, one))
  const stop = () => {
    stopped = true
    return all
  }
  return { stored, stop }
}

test('SIGTERM under load: exit 0 within 15 s, nothing acknowledged is lost, nothing is left behind', async () => {
  const data = dataFolder()
  const daemon = await startProcess(data)
  const { headers, key } = await setUpProcess(daemon)
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/ws/events?token=${key}`)
  await once(socket, 'open')
  const closed = once(socket, 'close') as Promise<[number]>
  const load = writers(daemon, headers, 8)
  while (load.stored.length < 50) await new Promise((resolve) => setImmediate(resolve))

  const begun = performance.now()
  daemon.signal('SIGTERM')
  const ended = await daemon.ended
  const took = performance.now() - begun
  await load.stop()

  expect(ended).toEqual({ code: 0, signal: null })
  expect(took).toBeLessThan(15_000)
  expect((await closed)[0]).toBe(1001)
  expect(readMarker(data)?.clean).not.toBeNull()
  expect(readdirSync(data).filter((name) => /lock$|\.new$|tmp/.test(name))).toEqual([])

  const again = await startProcess(data)
  for (const id of load.stored) {
    expect((await fetch(`${again.url}/api/memory/episodes/${id}`, { headers })).status).toBe(200)
  }
})

test('an answer that streams ends with an event', async () => {
  const wire = await startWire()
  wire.script(slow(['first ', 'never ']))
  wire.release(1)
  const daemon = await startProcess(dataFolder())
  const { headers } = await setUpProcess(daemon)
  const access = JSON.stringify({
    api_key: 'sk-test-0123456789',
    base_url: wire.url.openai,
    default_model: 'model-a',
  })
  await fetch(`${daemon.url}/api/providers/openai/key`, { method: 'PUT', headers, body: access })
  const body = JSON.stringify({ message: 'hello' })
  const stream = await fetch(`${daemon.url}/api/chat/messages/stream`, { method: 'POST', headers, body })
  const reader = (stream.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>
  let said = ''
  while (!said.includes('event: token')) said += (await reader.read()).value
  daemon.signal('SIGTERM')
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    said += value
  }

  expect(said.trim().split('\n\n').at(-1)).toMatch(/^(id: .*\n)?event: (done|error)\n/)
  expect(await daemon.ended).toEqual({ code: 0, signal: null })
  await wire.close()
})

test('a request that never ends is cut after a time limit, whatever signals follow the first', async () => {
  const daemon = await startProcess(dataFolder())
  const { headers } = await setUpProcess(daemon)
  const hanging = fetch(`${daemon.url}/api/auth/login`, {
    method: 'POST',
    headers,
    body: new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) }),
    duplex: 'half',
  } as RequestInit).catch(() => null)
  await fetch(`${daemon.url}/health`)
  daemon.signal('SIGTERM')
  daemon.signal('SIGINT')
  const { code } = await daemon.ended

  expect(code).toBe(0)
  await hanging
})

test('several signals at once stop it gracefully once, and the stop is announced before it ends', async () => {
  const received: string[] = []
  const receiver = createServer(async (request, response) => {
    received.push(await text(request))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const data = dataFolder()
  const env = { SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1' }
  const daemon = await startProcess(data, { env })
  const { headers } = await setUpProcess(daemon)
  const url = `http://127.0.0.1:${port}/`
  const events = ['daemon.stopping']
  const webhook = JSON.stringify({ name: 'watch', url, events })
  const hook = JSON.stringify({
    name: 'tell',
    events,
    action: { kind: 'http', url, body: '"from the hook"' },
  })
  for (const [path, body] of [
    ['webhooks', webhook],
    ['hooks', hook],
  ] as const)
    expect((await fetch(`${daemon.url}/api/${path}`, { method: 'POST', headers, body })).status).toBe(201)

  for (let count = 0; count < 4; count += 1) daemon.signal('SIGTERM')
  expect(await daemon.ended).toEqual({ code: 0, signal: null })
  expect(received.toSorted()).toEqual(['"from the hook"', expect.stringContaining('"daemon.stopping"')])

  const again = await startProcess(data, { env })
  again.signal('SIGTERM')
  expect(await again.ended).toEqual({ code: 0, signal: null })
  expect(received).toHaveLength(4)
  receiver.close()
})
