import { classifyAddress, parseAddress } from '../outbound/addresses.ts'
import { classifyName } from '../outbound/targets.ts'
import type { DatabaseServer } from '../ports/databases.ts'

type Engine = DatabaseServer['engine']

/** By the scheme of an address; a port of 0 is none. */
const schemes: Readonly<Record<string, { engine: Engine; port: number; tls?: DatabaseServer['tls'] }>> = {
  postgres: { engine: 'postgres', port: 5432 },
  postgresql: { engine: 'postgres', port: 5432 },
  mysql: { engine: 'mysql', port: 3306 },
  mariadb: { engine: 'mysql', port: 3306 },
  redis: { engine: 'redis', port: 6379, tls: 'none' },
  rediss: { engine: 'redis', port: 6379, tls: 'checked' },
  sqlite: { engine: 'sqlite', port: 0, tls: 'none' },
}

/** As `libpq` names them. */
const modes: Readonly<Record<string, DatabaseServer['tls']>> = {
  disable: 'none',
  require: 'unchecked',
  'verify-ca': 'checked',
  'verify-full': 'checked',
}

/** This machine or one of a private network, where most servers have no certificate. */
const isNear = (host: string): boolean =>
  parseAddress(host) ? classifyAddress(host) !== 'public' : classifyName(host) !== null || !host.includes('.')

export type DatabaseAddress = Omit<DatabaseServer, 'is_trusted'>

/** What an address such as `postgres://ada@db.example.com:5432/shop?sslmode=require` says; a text with the reason if it is none. */
export function databaseAddress(text: string): DatabaseAddress | string {
  const url = URL.parse(text.trim())
  const scheme = url && Object.hasOwn(schemes, url.protocol.slice(0, -1)) && schemes[url.protocol.slice(0, -1)]
  if (!url || !scheme) return 'must begin with postgres://, mysql://, redis://, rediss:// or sqlite://'
  const { engine, port } = scheme
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  const isFile = engine === 'sqlite'
  if (isFile ? host !== '' || url.pathname.length < 2 : host === '')
    return isFile ? 'must have the path of a file, as in sqlite:///srv/shop.db' : 'must name a host'
  const mode = url.searchParams.get('sslmode') ?? url.searchParams.get('ssl-mode')?.toLowerCase()
  if (mode && !Object.hasOwn(modes, mode)) return `must have an sslmode of ${Object.keys(modes).join(', ')}`
  try {
    return {
      engine,
      host,
      port: Number(url.port || port),
      database: decodeURIComponent(isFile ? url.pathname : url.pathname.slice(1)),
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      tls: scheme.tls ?? (mode ? modes[mode] : undefined) ?? (isNear(host) ? 'none' : 'checked'),
    }
  } catch {
    return 'has a % that is not part of an encoded character'
  }
}

/** An address and the password in it, which is stored apart. */
export function passwordApart(text: string): { url: string; password: string } {
  const url = URL.parse(text.trim())
  if (!url?.password) return { url: text.trim(), password: '' }
  const password = decodeURIComponent(url.password)
  url.password = ''
  return { url: url.href, password }
}
