import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const top = new URL('../..', import.meta.url).pathname
const entry = join(top, 'adapters/node/cli/hearthd.js')

const folders: string[] = []
const children = new Set<ChildProcess>()

/** Of every file: `after-file.ts` calls it. */
export async function endProcesses(): Promise<void> {
  const running = [...children].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
  const ended = running.map((child) => once(child, 'exit'))
  for (const child of running) child.kill('SIGKILL')
  await Promise.all(ended)
  children.clear()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** A data folder that goes when the tests of this file have ended. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-test-'))
  folders.push(folder)
  return folder
}

/** A copy of a data folder whose daemon has ended, which goes as the folder does. */
export function copyOf(folder: string): string {
  const copy = dataFolder()
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Only what a test says: variables of the machine that runs it do not count. */
function environment(folder: string, own: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(SERVICE_|NODE_OPTIONS|VITEST)/.test(name))
  return {
    ...Object.fromEntries(kept),
    SERVICE_DATA_DIR: folder,
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    ...own,
  }
}

/** Runs one command to its end. */
export async function hearthd(
  folder: string,
  words: string[],
  {
    env = {},
    input = '',
    prefix = [],
    printed,
  }: {
    env?: Record<string, string> /** Null: a pipe that stays open. */
    input?: string | null
    prefix?: string[]
    /** Called when the command has written to its standard output. */
    printed?: () => void
  } = {},
): Promise<Outcome> {
  const [program = process.execPath, ...before] = [...prefix, process.execPath]
  const child = spawn(program, [...before, entry, ...words], { env: environment(folder, env) })
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    printed?.()
  })
  child.stderr.on('data', (chunk) => (stderr += chunk))
  child.stdin.on('error', () => undefined)
  if (input !== null) child.stdin.end(input)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  children.delete(child)
  return { code, signal, stdout, stderr }
}

export interface RunningDaemon {
  url: string
  port: number
  pid: number
  folder: string
  /** What it has said on its standard error so far. */
  said(): string
  signal(name: NodeJS.Signals): void
  /** Resolves with how it ended. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Starts a real daemon in a process of its own and waits until it says that it listens. */
export async function startProcess(
  folder: string,
  { env = {}, prefix = [] }: { env?: Record<string, string>; prefix?: string[] } = {},
): Promise<RunningDaemon> {
  const [program = process.execPath, ...before] = [...prefix, process.execPath]
  const child = spawn(program, [...before, entry, 'start', '--json'], { env: environment(folder, env) })
  children.add(child)
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const ended = once(child, 'close').then(([code, signal]) => {
    children.delete(child)
    return { code: code as number | null, signal: signal as NodeJS.Signals | null }
  })
  const said = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const first = await Promise.race([said, ended])
  if (!Array.isArray(first)) throw new Error(`The daemon ended with ${first.code ?? first.signal}: ${stderr}`)
  const { url, port, pid } = JSON.parse(first[0]) as { url: string; port: number; pid: number }
  return { url, port, pid, folder, said: () => stderr, signal: (name) => void process.kill(pid, name), ended }
}

/** Makes the first user of a daemon and returns the headers of its administrator. */
export async function setUpProcess({
  url,
}: Pick<RunningDaemon, 'url'>): Promise<{ key: string; headers: Record<string, string> }> {
  const body = JSON.stringify({ username: 'ada', password: 'correct horse battery' })
  const response = await fetch(`${url}/api/setup/admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (response.status !== 201) throw new Error(`setup: ${response.status} ${await response.text()}`)
  const { api_key } = (await response.json()) as { api_key: { key: string } }
  return {
    key: api_key.key,
    headers: { authorization: `Bearer ${api_key.key}`, 'content-type': 'application/json' },
  }
}

/** Asks again and again until `check` holds; a test that never comes true ends by the limit of the runner. */
export async function eventually<Value>(
  check: () => Promise<Value | null | undefined | false> | Value | null | undefined | false,
): Promise<Value> {
  for (;;) {
    const value = await Promise.try(check).catch(() => null)
    if (value) return value
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
