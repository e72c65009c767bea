import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import { folderHolder } from '../../adapters/libsql/lock.ts'
import { variables } from '../../adapters/node/environment.ts'
import { dataFolder, eventually, hearthd, startProcess } from '../support/daemon-process.ts'

const started = new Set<string>()
afterEach(async () => {
  for (const folder of started) await hearthd(folder, ['stop', '--force'])
  started.clear()
})

function folder(): string {
  const made = dataFolder()
  started.add(made)
  return made
}

const json = (text: string) => JSON.parse(text.trim().split('\n').at(-1) ?? '') as Record<string, unknown>

test('start in the background, status, stop', async () => {
  const data = folder()
  const start = await hearthd(data, ['start', '--detach', '--json'])
  expect(start).toMatchObject({ code: 0 })
  const { pid, port } = json(start.stdout)

  expect(json((await hearthd(data, ['status', '--json'])).stdout)).toEqual({
    running: true,
    status: 'healthy',
    host: '127.0.0.1',
    port,
    uptime_seconds: expect.any(Number),
  })
  expect((await hearthd(data, ['status'])).stdout).toMatch(/running\s+true/)
  const again = await hearthd(data, ['start', '--detach', '--json'])
  expect([again.code, json(again.stderr)]).toMatchObject([1, { error: 'already_running' }])
  expect(json((await hearthd(data, ['stop', '--json'])).stdout)).toEqual({ stopped: true, pid })
  expect(json((await hearthd(data, ['status', '--json'])).stdout)).toMatchObject({
    running: false,
    status: 'stopped',
    uptime_seconds: null,
  })
})

test('stop with nothing to stop exits 0, and 1 with --strict', async () => {
  const data = folder()

  expect(await hearthd(data, ['stop'])).toMatchObject({ code: 0, stdout: 'hearthd is not running\n' })
  expect(await hearthd(data, ['stop', '--strict'])).toMatchObject({ code: 1 })
})

test('stop with another port or address leaves this daemon running', async () => {
  const data = folder()
  const daemon = await startProcess(data)

  expect(await hearthd(data, ['stop', '--port', '1', '--strict'])).toMatchObject({ code: 1 })
  expect(await hearthd(data, ['stop', '--host', '192.0.2.1', '--strict'])).toMatchObject({ code: 1 })
  expect(folderHolder(data)).not.toBeNull()
  expect(await hearthd(data, ['stop', '--port', String(daemon.port)])).toMatchObject({ code: 0 })
  expect(await daemon.ended).toEqual({ code: 0, signal: null })
})

test('stop --force kills it at once', async () => {
  const data = folder()
  const daemon = await startProcess(data)
  await hearthd(data, ['stop', '--force'])

  expect(await daemon.ended).toEqual({ code: null, signal: 'SIGKILL' })
})

test('restart keeps the address and port, and starts the daemon if none is running', async () => {
  const data = folder()
  const first = json((await hearthd(data, ['restart', '--json'])).stdout)
  const second = json((await hearthd(data, ['restart', '--json'])).stdout)

  expect(second).toMatchObject({ host: first.host, port: first.port })
  expect(second.pid).not.toBe(first.pid)
})

test('start in the foreground prints where it listens and who can reach it', async () => {
  const data = folder()
  const daemon = await startProcess(data)
  expect(daemon.url).toBe(`http://127.0.0.1:${daemon.port}`)
  daemon.signal('SIGINT')

  expect(await daemon.ended).toEqual({ code: 0, signal: null })
})

test('a setup link is offered until there is a key', async () => {
  const data = folder()
  const start = await hearthd(data, ['start', '--detach'])
  expect(start.code).toBe(0)
  const opened = json((await hearthd(data, ['open', '--json'])).stdout)
  expect(opened.url).toMatch(/\/setup#token=[0-9a-f]{32}$/)
  await hearthd(data, ['setup', '--username', 'ada'], { input: 'correct horse battery\n' })

  expect(json((await hearthd(data, ['open', '--json'])).stdout).url).toMatch(/:\d+\/$/)
})

test('a taken port is an error that names the process using it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const outcome = await hearthd(folder(), ['start', '--port', String(port)])
  server.close()

  expect(outcome.code).toBe(1)
  expect(outcome.stderr).toContain(`port ${port}: another program listens there`)
  if (process.platform === 'linux') expect(outcome.stderr).toContain(`pid ${process.pid}`)
  expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
})

test('SIGTERM to npm stops the daemon that npm start runs', async () => {
  const data = folder()
  const env = { ...process.env, SERVICE_DATA_DIR: data, SERVICE_HOST: '127.0.0.1' }
  const npm = spawn('npm', ['start', '--silent', '--', '--port', '0', '--json'], { env })
  const [line] = (await once(createInterface({ input: npm.stdout }), 'line')) as [string]
  expect(folderHolder(data)?.pid).toBe(json(line).pid)
  npm.kill('SIGTERM')
  await once(npm, 'close')

  await eventually(() => folderHolder(data) === null)
})

test('an empty --host listens on every address, IPv4 and IPv6', async () => {
  const data = folder()
  const { stdout } = await hearthd(data, ['start', '--detach', '--json', '--host', ''])
  // Not an address of this machine.
  expect(await hearthd(data, ['stop', '--host', '192.0.2.200', '--strict'])).toMatchObject({ code: 1 })
  const { port } = json(stdout)
  const ipv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ family }) => family === 'IPv6'))

  for (const host of ipv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']) {
    expect((await fetch(`http://${host}:${port}/health/live`)).status).toBe(200)
  }
})

const asRoot = process.getuid?.() === 0

test.each([
  ['a file', (path: string) => writeFileSync(path, ''), 'it is a file'],
  [
    'below a file',
    (path: string) => {
      writeFileSync(path, '')
      return join(path, 'data')
    },
    'a part of the path is a file',
  ],
  [
    'a folder without write permission',
    (path: string) => {
      mkdirSync(path, { mode: 0o500 })
    },
    'this user may not write there',
  ],
  [
    'a shared folder',
    (path: string) => {
      mkdirSync(path)
      chmodSync(path, 0o1777)
    },
    'it is shared with other users',
  ],
  ['in a file system without new folders', () => '/proc/x/hearthd', 'its file system does not allow new folders'],
  ['a link to nothing', (path: string) => symlinkSync(`${path}-missing`, path), 'it is a link, but not to a folder'],
  [
    'a folder with a folder where the database should be',
    (path: string) => void mkdirSync(join(path, 'hearthd.db'), { recursive: true }),
    'is not a file',
  ],
])('a data folder that is %s is refused in one line', async (what, make, reason) => {
  if (asRoot && what === 'a folder without write permission') return
  const path = join(folder(), 'data')
  const data = make(path) ?? path
  for (const words of [['start'], ['start', '--detach']]) {
    const outcome = await hearthd(data, words)
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
    expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
  }
})

test('a data folder that others can read is made private', async () => {
  const data = folder()
  chmodSync(data, 0o755)
  await startProcess(data)

  expect(statSync(data).mode & 0o777).toBe(0o700)
})

test('an unknown host is refused with one line', async () => {
  const outcome = await hearthd(folder(), ['start', '--host', 'nowhere.invalid', '--json'])

  expect([outcome.code, json(outcome.stderr)]).toMatchObject([1, { error: 'cannot_listen' }])
  expect(outcome.stderr.trim().split('\n')).toHaveLength(1)
})

test.each([
  [['start'], { SERVICE_PORT: 'abc' }, 'SERVICE_PORT must be a whole number'],
  [['start', '--port', '99999'], {}, 'SERVICE_PORT must be a whole number'],
  [['start'], { SERVICE_SECRET_KEY: 'short' }, 'SERVICE_SECRET_KEY'],
  [['start', '--nonsense'], {}, "Unknown option '--nonsense'"],
  [['start', '--nonsense', '--json'], {}, '{"error":"usage","message":"Unknown option'],
  [['nonsense'], {}, 'Unknown command: nonsense'],
  [['job', 'logs'], {}, '<job> is missing'],
  [['job', 'logs', '--json'], {}, '{"error":"usage","message":"<job> is missing'],
  [['version', 'surplus'], {}, 'Unexpected argument: surplus'],
  [['loops', 'lst'], {}, 'did you mean loops list'],
  [['lops'], {}, 'did you mean'],
  [['key', 'create', '--scopes'], {}, '--scopes needs a <scopes>'],
  [['restore', '--keys', '007'], {}, '/007.master.key'],
])('%j with %j is refused: %s', async (words, env, message) => {
  const outcome = await hearthd(folder(), words, { env: env as Record<string, string> })

  expect(outcome.code).toBe(1)
  expect(outcome.stderr).toContain(message)
})

test('start --help lists every variable with its default', async () => {
  const { stdout, code } = await hearthd(folder(), ['start', '--help'])

  expect(code).toBe(0)
  for (const { name, default: fallback, what } of Object.values(variables)) {
    expect(stdout).toContain(name)
    expect(stdout).toContain(what)
    if (fallback !== '') expect(stdout).toContain(`${name}  (default ${fallback})`)
  }
})

test('version', async () => {
  expect((await hearthd(folder(), ['version'])).stdout).toBe('0.1.0\n')
  expect(json((await hearthd(folder(), ['version', '--json'])).stdout)).toMatchObject({ version: '0.1.0' })
})
