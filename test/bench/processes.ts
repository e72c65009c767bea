import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { daemonFlags, daemonVariables } from '../../adapters/node/cli/process.ts'

const top = new URL('../..', import.meta.url).pathname

export const file = (path: string) => join(top, path)

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface Running {
  process: ChildProcess
  url: string
  folder: string
  /** Milliseconds from the spawn to the first 200 on the ready path. */
  ready_ms: number
  end(): Promise<void>
}

/** The daemon in a process of its own on a temporary data folder, or on `folder`; `watch` measures its event loop. */
export async function startDaemonProcess(
  folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-')),
  { watch = false, env: own = {} }: { watch?: boolean; env?: Record<string, string> } = {},
): Promise<Running> {
  const port = await freePort()
  const args = [
    ...daemonFlags,
    ...(watch ? ['--import', file('test/bench/loop-watch.js')] : []),
    file('adapters/node/cli/hearthd.js'),
    'start',
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
  ]
  const env = { ...process.env, ...daemonVariables, SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'error', ...own }
  return run(args, { url: `http://127.0.0.1:${port}`, ready: '/health/ready', folder, env })
}

export interface RunOptions {
  url: string
  ready: string
  folder: string
  env: NodeJS.ProcessEnv
}

export async function run(args: string[], { url, ready, folder, env }: RunOptions): Promise<Running> {
  const begun = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  while (!(await answers(url + ready))) {
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} exited with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const ready_ms = performance.now() - begun
  const end = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  }
  return { process: child, url, folder, ready_ms, end }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

/** Milliseconds for which each turn of the event loop of a watched daemon used the processor; after its end. */
export const stretchesOf = ({ folder }: Running): number[] =>
  JSON.parse(readFileSync(join(folder, 'stretches.json'), 'utf8')) as number[]

const memoryOf = ({ pid }: Pick<ChildProcess, 'pid'>, name: string): number => {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${name}:\\s+(\\d+) kB`))
  return Number(line?.[1]) / 1024
}

/** Resident memory of a process in MB, as the kernel counts it. */
export const residentMb = (child: Pick<ChildProcess, 'pid'>): number => memoryOf(child, 'VmRSS')

/** The largest resident memory so far. */
export const peakMb = (child: Pick<ChildProcess, 'pid'>): number => memoryOf(child, 'VmHWM')

export const remove = (folder: string) => rmSync(folder, { recursive: true, force: true })

/** Makes the first user and key, and returns the key. */
export async function setUp(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'bench', password: 'correct horse battery' })
  const response = await fetch(`${url}/api/setup/admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (response.status !== 201) throw new Error(`setup: ${response.status} ${await response.text()}`)
  const { api_key } = (await response.json()) as { api_key: { key: string } }
  return api_key.key
}
