import { once } from 'node:events'
import { readdirSync } from 'node:fs'
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
  let text = ''
  while (!text.includes('event: token')) text += (await reader.read()).value
  daemon.signal('SIGTERM')
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
  }

  expect(text.trim().split('\n\n').at(-1)).toMatch(/^(id: .*\n)?event: (done|error)\n/)
  expect(await daemon.ended).toEqual({ code: 0, signal: null })
  await wire.close()
})

test('a second signal ends it at once', async () => {
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

  expect([0, 130]).toContain(code)
  await hanging
})
