import {
  databaseUrl,
  flag,
  folder,
  hosts,
  list,
  logLevel,
  networks,
  optionalText,
  origins,
  text,
  timeZone,
  wholeNumber,
} from './settings.ts'

interface Variable<Value> {
  /** The environment variable. */
  name: string
  /** As it would be written. */
  default: string
  what: string
  read(text: string): Value
  /** Never shown, not even when it is wrong. */
  secret?: true
}

const mebibyte = 1024 * 1024

/** Everything that an operator can set, in the order of `hearthd start --help` and of the root README. */
export const variables = {
  host: {
    name: 'SERVICE_HOST',
    default: '',
    what: 'Address to listen on; empty is every address, IPv4 and IPv6',
    read: text,
  },
  port: {
    name: 'SERVICE_PORT',
    default: '18781',
    what: 'Port to listen on; 0 takes a free one',
    read: wholeNumber(0, 65_535),
  },
  data_dir: {
    name: 'SERVICE_DATA_DIR',
    default: '~/.hearthd',
    what: 'Folder of all state, for its owner only',
    read: folder,
  },
  api_key_required: {
    name: 'SERVICE_API_KEY_REQUIRED',
    default: 'false',
    what: 'Closes the anonymous endpoints, and asks for the setup token on this machine too',
    read: flag,
  },
  cors_origins: {
    name: 'SERVICE_CORS_ORIGINS',
    default: 'http://localhost:5173',
    what: 'Origins beside its own whose pages may call, separated by commas',
    read: origins,
  },
  allowed_hosts: {
    name: 'SERVICE_ALLOWED_HOSTS',
    default: '',
    what: 'Names under which it is reached beside localhost and its addresses, separated by commas',
    read: hosts,
  },
  trusted_proxies: {
    name: 'SERVICE_TRUSTED_PROXIES',
    default: '',
    what: 'Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto hold',
    read: networks,
  },
  secret_key: {
    name: 'SERVICE_SECRET_KEY',
    default: '',
    what: 'Master key of stored secrets: 64 hex digits or at least 16 characters; default is a file in the data folder',
    read: optionalText,
    secret: true,
  },
  database_url: {
    name: 'SERVICE_DATABASE_URL',
    default: '',
    what: 'libsql://, https:// or http:// of a shared database server; default is a file in the data folder',
    read: databaseUrl,
  },
  database_token: {
    name: 'SERVICE_DATABASE_TOKEN',
    default: '',
    what: 'Its access token',
    read: optionalText,
    secret: true,
  },
  encryption_key: {
    name: 'SERVICE_ENCRYPTION_KEY',
    default: '',
    what: 'Encrypts the database file',
    read: optionalText,
    secret: true,
  },
  log_level: {
    name: 'SERVICE_LOG_LEVEL',
    default: 'info',
    what: 'debug, info, warn or error',
    read: logLevel,
  },
  timezone: {
    name: 'SERVICE_TIMEZONE',
    default: Intl.DateTimeFormat().resolvedOptions().timeZone,
    what: 'IANA time zone of schedules that name none; default is that of the machine',
    read: timeZone,
  },
  outbound_allowlist: {
    name: 'SERVICE_OUTBOUND_ALLOWLIST',
    default: '',
    what: 'Private hosts, addresses or networks that outgoing requests may reach, separated by commas',
    read: list,
  },
  outbound_blocklist: {
    name: 'SERVICE_OUTBOUND_BLOCKLIST',
    default: '',
    what: 'Hosts, addresses or networks that they may never reach; wins over the allowlist',
    read: list,
  },
  json_limit: {
    name: 'SERVICE_JSON_LIMIT_BYTES',
    default: String(mebibyte),
    what: 'Largest JSON body in bytes',
    read: wholeNumber(1024, 64 * mebibyte),
  },
  upload_limit: {
    name: 'SERVICE_UPLOAD_LIMIT_BYTES',
    default: String(100 * mebibyte),
    what: 'Largest file in bytes that is uploaded, or downloaded by the browser',
    read: wholeNumber(1024, 16_384 * mebibyte),
  },
  files_quota: {
    name: 'SERVICE_FILES_QUOTA',
    default: String(10 * 1024 * mebibyte),
    what: 'Bytes that all uploaded files may take together; downloads of the browser take what they leave',
    read: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  },
} as const satisfies Record<string, Variable<unknown>>

type Variables = typeof variables
export type Environment = { -readonly [Key in keyof Variables]: ReturnType<Variables[Key]['read']> }

/** A variable has a value that cannot be meant. The message names it and says what it takes. */
export class WrongVariable extends Error {
  override name = 'WrongVariable'
}

/** What the operator decided; an empty variable counts as absent. Throws `WrongVariable` before anything has started. */
export function readEnvironment(env: Record<string, string | undefined>): Environment {
  const entries = Object.entries(variables).map(([key, variable]) => [
    key,
    readOne(variable, env[variable.name]),
  ])
  return Object.fromEntries(entries) as Environment
}

function readOne(variable: Variable<unknown>, given: string | undefined): unknown {
  try {
    return variable.read(given?.trim() ? given : variable.default)
  } catch (thrown) {
    const shown = variable.secret ? '' : `, not "${given}"`
    throw new WrongVariable(`${variable.name} ${(thrown as Error).message}${shown}`)
  }
}

/** Variables that look like ours and are not: a typo would be lost in silence. */
export function unknownVariables(env: Record<string, string | undefined>): string[] {
  const known = new Set<string>([...Object.values(variables).map(({ name }) => name), 'SERVICE_API_KEY'])
  return Object.keys(env).filter((name) => name.startsWith('SERVICE_') && !known.has(name))
}
