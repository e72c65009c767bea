import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { readKeyText } from '../../runtime/secrets/sealed-text.ts'
import { listOf, type WorkerEnvironment } from './environment.ts'

/** The only home if `SERVICE_HOMES` is not set. */
const onlyHome = 'hearthd'

export const hasHomes = ({ SERVICE_HOMES }: WorkerEnvironment) => listOf(SERVICE_HOMES).length > 0

/** One hearthd: a Durable Object of this name. */
export interface Home {
  name: string
  /** What precedes the paths of its API; empty if it has a host name of its own. */
  prefix: string
}

/** `ada.example`, `*.hearth.example` for each name with one more label, `api.example/homes/*` for homes by path. */
const entryShape = /^(\*\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)*)(\/homes\/\*)?$/
const pathHome = /^\/homes\/[a-z0-9][a-z0-9-]{0,62}(?=\/)/
const label = /^[a-z0-9-]{1,63}$/

/** The home of a URL, or null if it has none. Throws if `SERVICE_HOMES` cannot be read. */
export function findHome({ hostname, pathname }: URL, { SERVICE_HOMES }: WorkerEnvironment): Home | null {
  const entries = listOf(SERVICE_HOMES)
  if (entries.length === 0) return { name: onlyHome, prefix: '' }
  for (const entry of entries) {
    const [shape, wildcard, host = '', byPath] = entryShape.exec(entry.toLowerCase()) ?? []
    if (!shape) throw new Error(`SERVICE_HOMES: ${entry} is not a host name, *.host or host/homes/*`)
    const matches = wildcard ? isLabelOf(hostname, host) : hostname === host
    if (!matches) continue
    if (!byPath) return { name: hostname, prefix: '' }
    const [prefix] = pathHome.exec(pathname) ?? []
    return prefix ? { name: hostname + prefix, prefix } : null
  }
  return null
}

const isLabelOf = (hostname: string, host: string) =>
  hostname.endsWith(`.${host}`) && label.test(hostname.slice(0, -host.length - 1))

/**
 * The environment of one of several homes. Its keys are derived from the bound ones and its name, so that no home can open
 * what another has sealed, or set another up. Throws if the platform does not report the name,
 * or the bound key is too short.
 */
export function environmentOf(environment: WorkerEnvironment, name: string | undefined): WorkerEnvironment {
  if (!hasHomes(environment)) return environment
  if (!name) throw new Error('The platform does not report the name of this home')
  const { SERVICE_SECRET_KEY = '', SERVICE_SETUP_TOKEN = '' } = environment
  if (SERVICE_SECRET_KEY.trim()) readKeyText(SERVICE_SECRET_KEY)
  return {
    ...environment,
    SERVICE_SECRET_KEY: derived(SERVICE_SECRET_KEY, `hearthd master key of ${name}`),
    SERVICE_SETUP_TOKEN: derived(SERVICE_SETUP_TOKEN, `hearthd setup token of ${name}`),
  }
}

/** 64 hex digits; empty without a secret. */
const derived = (secret: string, purpose: string): string =>
  secret.trim() && bytesToHex(hmac(sha256, utf8ToBytes(secret.trim()), utf8ToBytes(purpose)))
