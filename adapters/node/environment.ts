import { homedir } from 'node:os'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { LogLevel } from '../../runtime/ports/log.ts'
import { isTimeZone } from '../../runtime/time.ts'

/** Parses the text of a variable; throws a description of what it must be. */
type Read<Value> = (text: string) => Value

const must = (what: string): never => {
  throw new Error(`must be ${what}`)
}

const text: Read<string> = (value) => value.trim()
const optionalText: Read<string | undefined> = (value) => value.trim() || undefined

const flag: Read<boolean> = (value) => {
  if (/^(true|1|yes|on)$/i.test(value.trim())) return true
  return /^(false|0|no|off|)$/i.test(value.trim()) ? false : must('true or false')
}

const wholeNumber =
  (min: number, max: number): Read<number> =>
  (value) => {
    const number = /^\d{1,15}$/.test(value.trim()) ? Number(value) : Number.NaN
    return number >= min && number <= max ? number : must(`a whole number from ${min} to ${max}`)
  }

const list: Read<string[]> = (value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** The origin of the UI's dev server is always included. */
const origins: Read<string[]> = (value) => {
  const origins = list(value).map((item) => {
    const url = URL.parse(item)
    const whole = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href
    return whole ? url.origin : must('origins such as https://ui.example.com, separated by commas')
  })
  return [...new Set(['http://localhost:5173', ...origins])]
}

const hosts: Read<string[]> = (value) =>
  list(value).map((item) => {
    const ok = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(item)
    return ok ? item.toLowerCase() : must('names such as hearth.lan or hearth.lan:443, separated by commas')
  })

const networks: Read<string[]> = (value) =>
  list(value).map((item) => {
    const ok = item.includes('/') ? ipaddr.isValidCIDR(item) : ipaddr.isValid(item)
    return ok ? item : must('addresses or networks such as 10.0.0.0/8, separated by commas')
  })

const folder: Read<string> = (value) => {
  const text = value.trim()
  if (text === '') return must('a folder')
  return resolve(text === '~' || text.startsWith('~/') ? text.replace('~', homedir()) : text)
}

const tlsMode: Read<'auto' | 'off'> = (value) => {
  const mode = value.trim().toLowerCase()
  return mode === 'auto' || mode === 'off' ? mode : must('auto or off')
}

const databaseUrl: Read<string | undefined> = (value) => {
  const text = value.trim()
  if (text === '') return undefined
  const ok = /^(libsql|https?):$/.test(URL.parse(text)?.protocol ?? '')
  return ok ? text : must('a URL that begins with libsql://, https:// or http://')
}

const httpUrl: Read<string | undefined> = (value) => {
  const text = value.trim()
  if (text === '') return undefined
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : must('a URL with http or https')
}

const headers: Read<Record<string, string>> = (value) =>
  Object.fromEntries(
    list(value).map((item): [string, string] => {
      const at = item.indexOf('=')
      const name = item.slice(0, at).trim()
      if (at <= 0 || !/^[\w-]+$/.test(name)) return must('name=value, separated by commas')
      return [name.toLowerCase(), item.slice(at + 1).trim()]
    }),
  )

/** As OpenTelemetry writes them: values are percent-encoded. */
const encodedHeaders: Read<Record<string, string>> = (value) =>
  Object.fromEntries(Object.entries(headers(value)).map(([name, encoded]) => [name, decodeURIComponent(encoded)]))

const logLevel: Read<LogLevel> = (value) => {
  const level = value.trim().toLowerCase()
  return /^(debug|info|warn|error)$/.test(level) ? (level as LogLevel) : must('debug, info, warn or error')
}

const timeZone: Read<string> = (value) => {
  const zone = value.trim()
  return isTimeZone(zone) ? zone : must('an IANA time zone such as Europe/Berlin')
}

interface Declaration<Value> {
  /** The environment variable. Default: `SERVICE_` and the key. */
  name?: string
  /** As an operator would write it. Default: empty. */
  default?: string
  what: string
  read(text: string): Value
  /** A variable of a standard that is used if this one is not set, unless it cannot be read. */
  standard?: string
  readStandard?(text: string): Value
  /** Never shown, not even in an error message. */
  secret?: true
}

type Variable = Declaration<unknown> & { key: string; name: string; default: string }

const mebibyte = 1024 * 1024

const declared = {
  host: {
    what: 'Address to listen on; empty is all addresses, IPv4 and IPv6',
    read: text,
  },
  port: {
    default: '18781',
    what: 'Port to listen on; 0 picks a free one',
    read: wholeNumber(0, 65_535),
  },
  data_dir: {
    default: '~/.hearthd',
    what: 'Folder of all data, private to its owner',
    read: folder,
  },
  api_key_required: {
    default: 'false',
    what: 'Closes the anonymous endpoints, and requires the setup token on this machine too',
    read: flag,
  },
  cors_origins: {
    default: 'http://localhost:5173',
    what: 'Other origins whose pages may call the API, separated by commas',
    read: origins,
  },
  allowed_hosts: {
    what: 'Host names it answers to besides localhost and its addresses, separated by commas',
    read: hosts,
  },
  trusted_proxies: {
    what: 'Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted',
    read: networks,
  },
  tls: {
    default: 'off',
    what: 'auto: HTTPS with an authority of its own, which phones install from /ca; off: HTTP, or HTTPS with the next two',
    read: tlsMode,
  },
  tls_cert: {
    what: 'File of a certificate with its chain (PEM) for HTTPS; read again when it changes',
    read: optionalText,
  },
  tls_key: {
    what: 'File of the private key of SERVICE_TLS_CERT (PEM)',
    read: optionalText,
  },
  secret_key: {
    what: 'Master key of stored secrets: 64 hex digits or at least 16 characters; default: a file in the data folder',
    read: optionalText,
    secret: true,
  },
  database_url: {
    what: 'URL of a shared database server (libsql://, https:// or http://); default: a file in the data folder',
    read: databaseUrl,
  },
  database_token: {
    what: 'Access token of the database server',
    read: optionalText,
    secret: true,
  },
  encryption_key: {
    what: 'Encrypts the database file',
    read: optionalText,
    secret: true,
  },
  log_level: {
    default: 'info',
    what: 'Lowest level that is logged: debug, info, warn or error',
    read: logLevel,
  },
  timezone: {
    default: Intl.DateTimeFormat().resolvedOptions().timeZone,
    what: 'IANA time zone of schedules without one; default: that of the machine',
    read: timeZone,
  },
  otlp_endpoint: {
    what: 'URL of an OpenTelemetry collector (OTLP over HTTP) that receives traces of turns, tools and runs; default: OTEL_EXPORTER_OTLP_ENDPOINT',
    standard: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    read: httpUrl,
  },
  otlp_headers: {
    what: 'Headers for the collector, such as authorization=Bearer abc, separated by commas; default: OTEL_EXPORTER_OTLP_HEADERS',
    standard: 'OTEL_EXPORTER_OTLP_HEADERS',
    read: headers,
    readStandard: encodedHeaders,
    secret: true,
  },
  otlp_service_name: {
    default: 'hearthd',
    what: 'Name of this daemon in traces; default: OTEL_SERVICE_NAME',
    standard: 'OTEL_SERVICE_NAME',
    read: text,
  },
  outbound_allowlist: {
    what: 'Private hosts, addresses or networks that outgoing requests may reach, separated by commas',
    read: list,
  },
  outbound_blocklist: {
    what: 'Hosts, addresses or networks that they may never reach; overrides the allowlist',
    read: list,
  },
  json_limit: {
    name: 'SERVICE_JSON_LIMIT_BYTES',
    default: String(mebibyte),
    what: 'Largest JSON body, in bytes',
    read: wholeNumber(1024, 64 * mebibyte),
  },
  upload_limit: {
    name: 'SERVICE_UPLOAD_LIMIT_BYTES',
    default: String(100 * mebibyte),
    what: 'Largest file that may be uploaded, or downloaded by the browser, in bytes',
    read: wholeNumber(1024, 16_384 * mebibyte),
  },
  backup_limit: {
    name: 'SERVICE_BACKUP_LIMIT_BYTES',
    default: String(20 * 1024 * mebibyte),
    what: 'Largest backup that may be uploaded, in bytes',
    read: wholeNumber(1024, Number.MAX_SAFE_INTEGER),
  },
  files_quota: {
    default: String(10 * 1024 * mebibyte),
    what: 'Total size of uploaded files and downloads of the browser, in bytes',
    read: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  },
} as const satisfies Record<string, Declaration<unknown>>

type Declared = typeof declared
export type Environment = { -readonly [Key in keyof Declared]: ReturnType<Declared[Key]['read']> }

/** All variables, in the order of `hearthd start --help` and the root README. */
export const variables: readonly Variable[] = Object.entries<Declaration<unknown>>(declared).map(
  ([key, declaration]) => ({
    name: `SERVICE_${key.toUpperCase()}`,
    default: '',
    ...declaration,
    key,
  }),
)

/** A variable has an invalid value. The message names the variable and what it accepts. */
export class WrongVariable extends Error {
  override name = 'WrongVariable'
}

/** Reads the variables; an empty one means its default. Throws `WrongVariable`. */
export function readEnvironment(env: Record<string, string | undefined>): Environment {
  const entries = variables.map((variable) => [
    variable.key,
    (env[variable.name] === undefined ? standardValue(variable, env)?.value : undefined) ??
      readOne(variable, env[variable.name]),
  ])
  return Object.fromEntries(entries) as Environment
}

/** Null if the variable of the standard is not set; without a value if it cannot be read. */
function standardValue(variable: Variable, env: Record<string, string | undefined>) {
  const text = variable.standard && env[variable.standard]
  if (!text?.trim()) return null
  try {
    return { value: (variable.readStandard ?? variable.read)(text) }
  } catch {
    return { value: undefined }
  }
}

/** Variables of a standard that are ignored because they cannot be read. */
export function unreadableVariables(env: Record<string, string | undefined>): string[] {
  return variables.flatMap((variable) => {
    const standard = env[variable.name] === undefined ? standardValue(variable, env) : null
    return standard && standard.value === undefined && variable.standard ? [variable.standard] : []
  })
}

function readOne(variable: Variable, text: string | undefined): unknown {
  try {
    return variable.read(text?.trim() ? text : variable.default)
  } catch (thrown) {
    const quoted = variable.secret ? '' : `, not "${text}"`
    throw new WrongVariable(`${variable.name} ${(thrown as Error).message}${quoted}`)
  }
}

/** Names with our prefix that are not our variables: otherwise a typo would go unnoticed. */
export function unknownVariables(env: Record<string, string | undefined>): string[] {
  const names = new Set([...variables.map(({ name }) => name), 'SERVICE_API_KEY'])
  return Object.keys(env).filter((name) => name.startsWith('SERVICE_') && !names.has(name))
}
