import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { folderHolder, type Holder, holderUrl } from '../../libsql/lock.ts'
import type { Environment } from '../environment.ts'
import { environmentOf, Failure } from './command.ts'

export interface StartOptions {
  host?: string | undefined
  port?: string | undefined
  dev?: boolean | undefined
  json?: boolean | undefined
}

/** Milliseconds that a graceful stop may take. */
export const stopTimeout = 15_000

export const entry = join(import.meta.dirname, 'hearthd.js')

/**
 * A heap that grows in steps of a half keeps 323 MB resident at the end of 500 turns instead of 402. Smaller steps save
 * another 24 MB, but collect the whole heap four times as often under load. The other one is for `idle-memory.ts`.
 */
export const daemonFlags = ['--heap-growing-percent=50', '--expose-gc']

/**
 * Variables of the environment of a daemon, for the GNU C library; others ignore them. Without it the library raises its
 * own limit for what it returns to the system, and 27 MB more stay resident after 20,000 requests.
 */
export const daemonVariables = { MALLOC_TRIM_THRESHOLD_: '131072' }

/** The command line of a daemon with these options. */
export const startCommand = (options: StartOptions): [string, ...string[]] => [
  process.execPath,
  ...daemonFlags,
  entry,
  'start',
  ...startArguments(options),
]

export const startArguments = ({ host, port, dev, json }: StartOptions): string[] => [
  ...(host === undefined ? [] : ['--host', host]),
  ...(port === undefined ? [] : ['--port', port]),
  ...(dev ? ['--dev'] : []),
  ...(json ? ['--json'] : []),
]

/** A running daemon. */
export interface Running extends Holder {
  url: string
}

interface Address {
  host?: string | undefined
  port?: string | undefined
}

/** The daemon of the data folder; null when none runs, or when it listens on another `--host` or `--port`. */
export function findDaemon(environment: Environment, { host, port }: Address = {}): Running | null {
  const holder = folderHolder(environment.data_dir)
  if (!holder) return null
  if (port !== undefined && holder.port !== environment.port) return null
  if (host !== undefined && !listensOn(holder, environment.host)) return null
  return { ...holder, url: holderUrl(holder) }
}

function listensOn(holder: Holder, host: string): boolean {
  const plain = (address: string) => (/^(localhost|127\.0\.0\.1|::1)$/.test(address) ? 'loopback' : address)
  return (isWildcard(holder.host) && isOfThisMachine(host)) || plain(holder.host) === plain(host)
}

const isWildcard = (host: string): boolean => /^(0\.0\.0\.0|::)?$/.test(host)

/** Whether a daemon on all addresses listens on this one; names are taken to be of this machine. */
function isOfThisMachine(host: string): boolean {
  if (isIP(host) === 0 || isWildcard(host) || /^127\.|^::1$/.test(host)) return true
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === host))
}

/** URLs of this machine for others; none if only loopback is bound. */
export function networkUrls({ host, port, tls }: Pick<Holder, 'host' | 'port' | 'tls'>): string[] {
  const urlOf = (address: string) =>
    `${tls ? 'https' : 'http'}://${address.includes(':') ? `[${address}]` : address}:${port}`
  if (!isWildcard(host)) return /^(localhost|127\.|::1$)/.test(host) ? [] : [urlOf(host)]
  const addresses = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return addresses
    .filter(({ internal, family, address }) => {
      return !internal && (family === 'IPv4' || (host !== '0.0.0.0' && !address.startsWith('fe80')))
    })
    .map(({ address }) => urlOf(address))
}

/** The daemon of the data folder, or a failure that says how to start it. */
export function requireDaemon(environment = environmentOf()): Running {
  const running = findDaemon(environment)
  if (running) return running
  throw new Failure('hearthd is not running; start it with hearthd start', { name: 'not_running' })
}

export interface Health {
  status: string
  version?: string
  uptime_seconds?: number
}

/** The answer of `/health`; null when no hearthd answers there. */
export async function askHealth(url: string): Promise<Health | null> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })
    const body = (await response.json()) as Health & { message?: string }
    if (response.status === 503 && body.message?.startsWith('hearthd is'))
      return { status: body.message.slice('hearthd is '.length) }
    return response.ok && typeof body.status === 'string' ? body : null
  } catch {
    return null
  }
}

const pollEvery = 50

/** Polls `check`; returns false after `milliseconds`. */
export async function waitUntil(milliseconds: number, check: () => Promise<boolean> | boolean) {
  const end = Date.now() + milliseconds
  while (!(await check())) {
    if (Date.now() >= end) return false
    await sleep(pollEvery)
  }
  return true
}
