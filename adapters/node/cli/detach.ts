import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderHolder, holderUrl } from '../../libsql/lock.ts'
import type { Environment } from '../environment.ts'
import { Failure, type Options, print } from './command.ts'
import { environmentOf } from './settings.ts'
import { askHealth, waitUntil } from './target.ts'

/** Milliseconds; the specified "about 10 seconds" for the port. */
const patience = 10_000

/** Starts a daemon that outlives this command, and waits until it answers. */
export async function startDetached(options: Options): Promise<number> {
  const environment = environmentOf(options)
  const said = join(environment.data_dir, 'logs', 'start.log')
  mkdirSync(join(environment.data_dir, 'logs'), { recursive: true, mode: 0o700 })
  const output = openSync(said, 'w', 0o600)
  const child = spawn(process.execPath, [...daemonFlags, entry, 'start', '--json', ...argumentsOf(options)], {
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref()
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  const ready = await waitUntil(patience, async () => ended || (await answers(environment)))
  if (ended || !ready)
    throw new Failure(ended ? firstLine(said) : `It did not answer within ${patience / 1000} s; see ${said}`)
  const holder = folderHolder(environment.data_dir)
  const url = holder ? holderUrl(holder) : ''
  print(
    options,
    { started: true, pid: holder?.pid, url, host: holder?.host, port: holder?.port },
    `hearthd listens on ${url} (pid ${holder?.pid})`,
  )
  return 0
}

/**
 * A small nursery: 8 MB less resident, and most of what a request allocates dies young all the same. A heap that grows
 * in small steps: after 2,000 turns 220 MB are resident instead of 305, at the same pace.
 */
export const daemonFlags = ['--max-semi-space-size=2', '--heap-growing-percent=15']

export const entry = join(import.meta.dirname, 'hearthd.js')

/** The options as the child must see them. */
export function argumentsOf(options: Options): string[] {
  const values = (['port', 'host'] as const).flatMap((name) =>
    options[name] === undefined ? [] : [`--${name}`, String(options[name])],
  )
  return options.dev ? [...values, '--dev'] : values
}

async function answers({ data_dir }: Environment): Promise<boolean> {
  const holder = folderHolder(data_dir)
  return holder !== null && holder.port > 0 && (await askHealth(holderUrl(holder)))?.status === 'healthy'
}

function firstLine(file: string): string {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const own = lines.find((line) => line.startsWith('hearthd: '))
  return own?.replace('hearthd: ', '') ?? lines.at(-1) ?? 'It ended at once and said nothing'
}
