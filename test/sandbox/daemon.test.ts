import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Bubblewrap } from '../../adapters/bubblewrap/bubblewrap.ts'
import { createClock } from '../../adapters/clock/clock.ts'
import type { Container, SandboxStatus } from '../../runtime/sandbox/schema.ts'
import { dataFolder, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'
import { Podman, podmanMissing, testImage } from '../support/podman.ts'

const bubblewrap = await new Bubblewrap({ folder: dataFolder(), clock: createClock() }).status()

/** Command lines of all processes of this machine. */
const commandLines = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        return ''
      }
    })

interface House {
  daemon: RunningDaemon
  headers: Record<string, string>
  send<Answer>(method: string, path: string, body?: unknown): Promise<Answer>
  /** Starts a command and returns when it has printed something. */
  begin(id: string, command: string): Promise<ReadableStreamDefaultReader<Uint8Array>>
}

async function house(env: Record<string, string> = {}): Promise<House> {
  const daemon = await startProcess(dataFolder(), { env })
  const { headers } = await setUpProcess(daemon)
  const request = (method: string, path: string, body?: unknown) =>
    fetch(daemon.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  return {
    daemon,
    headers,
    async send(method, path, body) {
      const response = await request(method, path, body)
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response.json()
    },
    async begin(id, command) {
      const response = await request('POST', `/api/sandbox/containers/${id}/exec`, { command })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      for (let text = ''; !text.includes('event: output'); ) text += Buffer.from((await reader.read()).value ?? [])
      return reader
    },
  }
}

const marker = (number: number) => `sleep 9${process.pid}${number}`

test.skipIf(!bubblewrap.available).each(['SIGTERM', 'SIGKILL'] as const)(
  '%s of the daemon ends the commands of bubblewrap',
  async (signal) => {
    const { daemon, send, begin } = await house()
    const { id } = await send<Container>('POST', '/api/sandbox/containers', {})
    const line = marker(signal === 'SIGTERM' ? 1 : 2)
    const reader = await begin(id, `echo up; ${line}`)
    expect(commandLines().some((one) => one.includes(line))).toBe(true)
    daemon.signal(signal)
    await daemon.ended
    await reader.cancel().catch(() => undefined)

    await expect.poll(() => commandLines().filter((one) => one.includes(line))).toEqual([])
  },
)

test.skipIf(!bubblewrap.available)('attacks leave the daemon alive', async () => {
  const { send, begin } = await house()
  const { id } = await send<Container>('POST', '/api/sandbox/containers', {})
  for (const command of ['b() { b | b & }; echo up; b; sleep 1', 'echo up; yes', 'echo up; kill -9 -1'])
    await (await begin(id, command)).cancel()

  expect(await send('GET', '/api/health')).toMatchObject({ status: expect.any(String) })
  expect(await send('GET', `/api/sandbox/containers/${id}`)).toMatchObject({ status: 'running' })
})

test.skipIf(podmanMissing !== null)(
  'after kill -9, containers of podman are stopped and keep their files',
  async () => {
    const podman = new Podman()
    await podman.start()
    try {
      const env = { CONTAINER_HOST: `unix://${podman.socket}` }
      const { daemon, headers, send, begin } = await house(env)
      await send('PUT', '/api/sandbox/config', { backend: 'podman', image: testImage })
      expect(await send<SandboxStatus>('GET', '/api/sandbox/status')).toMatchObject({ backend: 'podman' })
      const { id } = await send<Container>('POST', '/api/sandbox/containers', {})
      const line = marker(3)
      await begin(id, `echo tea > tea.txt; echo up; ${line}`)
      daemon.signal('SIGKILL')
      await daemon.ended

      const again = await startProcess(daemon.folder, { env })
      const container = `${again.url}/api/sandbox/containers/${id}`
      const status = async () => ((await (await fetch(container, { headers })).json()) as Container).status
      await expect.poll(status).toBe('stopped')
      expect(commandLines().filter((one) => one.includes(line))).toEqual([])
      const file = await fetch(`${container}/files/content?path=tea.txt`, { headers })
      expect(await file.text()).toBe('tea\n')
    } finally {
      await podman.end()
    }
  },
)

test.skipIf(!bubblewrap.available)('descriptors of whoever started the daemon reach no command', async () => {
  const secret = join(dataFolder(), 'secret')
  writeFileSync(secret, 'canary')
  const opened = 'exec 9<>"$0" 20<>"$0" 40<>"$0" 200<>"$0"; exec "$@"'
  const daemon = await startProcess(dataFolder(), { prefix: ['bash', '-c', opened, secret] })
  const { headers } = await setUpProcess(daemon)
  const post = async (path: string, body: object) =>
    fetch(daemon.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const { id } = (await (await post('/api/sandbox/containers', {})).json()) as Container
  const command = 'ls -l /proc/self/fd; for fd in 9 20 40 200; do echo broken > /proc/self/fd/$fd; done; echo end'
  const output = await (await post(`/api/sandbox/containers/${id}/exec`, { command })).text()

  expect(output).toContain('end')
  expect(output).not.toContain(secret)
  expect(readFileSync(secret, 'utf8')).toBe('canary')
})
