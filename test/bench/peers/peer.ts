import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A program of the same field, as its documentation says to run it on one machine. */
export interface Peer {
  name: string
  /** What is installed from the registry, the peer first; none for hearthd. */
  packages: readonly string[]
  /** The package whose install script is run, if others' need what is not here; default all. */
  builds?: string
  /** Writes settings and flows before the first start. */
  prepare?(place: Place): Promise<void>
  /** Everything that runs, the one that is killed first. */
  commands(place: Place): Command[]
  /** Answers with a status below 500 as soon as the program serves. */
  ready(place: Place): string
  /** After the first start: what needs a running program. Null if the peer has no flows. */
  open?(place: Place): Promise<Flows>
}

export interface Place {
  /** `node_modules`, and the data of the peer in `data`. */
  folder: string
  data: string
  /** Free ports; most peers need the first only. */
  ports: readonly number[]
  /** Takes `POST /seen/<n>` and remembers it. */
  sink: string
}

export interface Command {
  file: string
  args: string[]
  env?: Record<string, string>
}

/** Where to send `{"n": 1}`. */
export interface Flows {
  headers?: Record<string, string>
  /** Three steps, the last of which answers. */
  three: string
  /** Two steps and one that calls the sink with `n`; answers when the call is accepted. */
  effect: string
}

export const urlOf = ({ ports }: Place, index = 0) => `http://127.0.0.1:${ports[index]}`

/** Installs into the peer's own folder; throws what npm says. */
export async function install({ packages, builds }: Peer, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const env = { ...process.env, npm_config_build_from_source: 'true' }
  const npm = (...args: string[]) =>
    promisify(execFile)('npm', args, { cwd: folder, env, timeout: 900_000, maxBuffer: 1 << 26 })
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  await npm('install', ...quiet, ...(builds ? ['--ignore-scripts'] : []), ...packages)
  if (builds) await npm('rebuild', builds)
}

export async function sizeMb(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)('du', ['-sm', folder])
  return Number(stdout.split('\t')[0])
}

export async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
  const answer = await fetch(url, { ...init, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text.slice(0, 300)}`)
  return text === '' ? null : JSON.parse(text)
}
