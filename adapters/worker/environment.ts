import { type Config, defaultConfig } from '../../runtime/config.ts'
import type { LogLevel } from '../../runtime/ports/log.ts'
import { isTimeZone } from '../../runtime/time.ts'
import type { Assets, ObjectNamespace } from './platform.ts'

/** The bindings of the Worker: the object, and variables named as on the Node host. */
export interface WorkerEnvironment {
  HEARTH: ObjectNamespace
  /** The built UI. Without it there is the API only. */
  ASSETS?: Assets
  /**
   * Host names, separated by commas: each is a home, with data, keys and users of its own. `*.hearth.example` is a home for
   * each name with one more label, `api.example/homes/*` one for each path. Requests for others get a 404. Default: one home.
   */
  SERVICE_HOMES?: string
  /** Master key of stored secrets: 64 hex digits or at least 16 characters. */
  SERVICE_SECRET_KEY?: string
  /** Required for the first setup: nobody is local to a Worker. Without it, setup is impossible. */
  SERVICE_SETUP_TOKEN?: string
  SERVICE_API_KEY_REQUIRED?: string
  /** Unlike on Node there is no default: pages of anybody's machine have the origin of a development server. */
  SERVICE_CORS_ORIGINS?: string
  SERVICE_TIMEZONE?: string
  /** debug, info (the default), warn or error. */
  SERVICE_LOG_LEVEL?: string
  SERVICE_OUTBOUND_ALLOWLIST?: string
  SERVICE_OUTBOUND_BLOCKLIST?: string
  /**
   * The header in which the platform sends the address of the client; default `CF-Connecting-IP`. Empty if workerd is
   * reached directly, since a client could forge it.
   */
  SERVICE_ADDRESS_HEADER?: string
}

/** Throws if the master key is missing: secrets sealed with a random one would be lost with the object. */
export function masterKeyOf({ SERVICE_SECRET_KEY }: WorkerEnvironment): string {
  if (!SERVICE_SECRET_KEY?.trim()) throw new Error('SERVICE_SECRET_KEY must be bound to the Worker')
  return SERVICE_SECRET_KEY
}

export function configOf(environment: WorkerEnvironment): Config {
  const { SERVICE_SETUP_TOKEN = '', SERVICE_API_KEY_REQUIRED = '', SERVICE_TIMEZONE = '' } = environment
  return {
    ...defaultConfig,
    api_key_required: /^(true|1|yes|on)$/i.test(SERVICE_API_KEY_REQUIRED.trim()),
    cors_origins: listOf(environment.SERVICE_CORS_ORIGINS),
    setup_token: SERVICE_SETUP_TOKEN.trim(),
    timezone: isTimeZone(SERVICE_TIMEZONE) ? SERVICE_TIMEZONE : 'UTC',
    ui: environment.ASSETS !== undefined,
  }
}

export const logLevelOf = ({ SERVICE_LOG_LEVEL = '' }: WorkerEnvironment): LogLevel =>
  levels.find((level) => level === SERVICE_LOG_LEVEL.trim().toLowerCase()) ?? 'info'

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

export const listOf = (text = ''): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** The address of the client according to the platform; `unknown` for all if it sends none. */
export function addressOf(
  request: Request,
  { SERVICE_ADDRESS_HEADER = 'CF-Connecting-IP' }: WorkerEnvironment,
): string {
  return (SERVICE_ADDRESS_HEADER && request.headers.get(SERVICE_ADDRESS_HEADER)) || 'unknown'
}
