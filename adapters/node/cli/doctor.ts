import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultConfig } from '../../../runtime/config.ts'
import { lastGoodBackup } from '../../libsql/backup.ts'
import { innerDamage, outerDamage, readMarker } from '../../libsql/damage.ts'
import { databasePath, openDatabase } from '../../libsql/database.ts'
import { folderHolder, holderUrl, markCopied } from '../../libsql/lock.ts'
import { type Environment, unknownVariables } from '../environment.ts'
import { whoListens } from '../listen.ts'
import { command, environmentOf, jsonOption, print } from './command.ts'
import { askHealth } from './process.ts'

interface Finding {
  state: 'ok' | 'warning' | 'failed'
  message: string
}

const ok = (message: string): Finding => ({ state: 'ok', message })
const warning = (message: string): Finding => ({ state: 'warning', message })
const failed = (message: string): Finding => ({ state: 'failed', message })

const checks: Record<string, (environment: Environment) => Finding | Promise<Finding>> = {
  node: () => ok(process.version),
  environment() {
    const unknown = unknownVariables(process.env)
    return unknown.length === 0
      ? ok('all SERVICE_ variables are known')
      : warning(`unknown: ${unknown.join(', ')}`)
  },
  'data folder'({ data_dir }) {
    if (!existsSync(data_dir)) return warning(`${data_dir} does not exist yet; hearthd start creates it`)
    return isPrivate(data_dir)
      ? ok(data_dir)
      : failed(`other users can read ${data_dir}: run chmod 700 ${data_dir}`)
  },
  'master key'({ data_dir, secret_key }) {
    if (secret_key) return ok('from SERVICE_SECRET_KEY')
    const path = join(data_dir, 'master.key')
    if (existsSync(path))
      return isPrivate(path) ? ok(path) : failed(`other users can read ${path}: run chmod 600 ${path}`)
    return readMarker(data_dir)
      ? failed(`${path} is missing: stored secrets cannot be read`)
      : ok('created at the first start')
  },
  database({ data_dir, database_url, encryption_key }) {
    if (database_url) return ok(`on ${new URL(database_url).host}`)
    const path = databasePath(data_dir)
    const outside = outerDamage(path, readMarker(data_dir), encryption_key !== undefined)
    if (outside) return failed(`${path}: ${outside}`)
    if (!existsSync(path)) return ok('created at the first start')
    const db = openDatabase(path, encryption_key)
    const inside = innerDamage(db)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    markCopied(data_dir)
    return inside ? failed(`${path}: ${inside}`) : ok(`${path} is intact`)
  },
  backup({ data_dir, database_url, encryption_key }) {
    if (database_url) return ok('kept by the database server')
    const backup = lastGoodBackup(data_dir, encryption_key)
    return backup ? ok(backup) : warning('there is none; create one with hearthd backup')
  },
  async disk({ data_dir }) {
    if (!existsSync(data_dir)) return ok('nothing stored yet')
    const { bavail, bsize } = await statfs(data_dir)
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    const judge = free < 100 ? failed : free < 1024 ? warning : ok
    return judge(`${free} MiB free`)
  },
  'web UI'() {
    const built = join(import.meta.dirname, '..', '..', '..', 'web', 'dist', 'index.html')
    return existsSync(built) ? ok('built') : warning('not built: npm run build')
  },
  async daemon({ data_dir, port }) {
    const holder = folderHolder(data_dir)
    if (!holder) {
      const other = port === 0 ? null : whoListens(port)
      return other ? warning(`not running, and port ${port} is in use (${other})`) : ok('not running')
    }
    const url = holderUrl(holder)
    const health = await askHealth(url)
    return health
      ? ok(`${health.status} at ${url} (pid ${holder.pid})`)
      : failed(`pid ${holder.pid} does not answer at ${url}`)
  },
}

const isPrivate = (path: string) => process.platform === 'win32' || (statSync(path).mode & 0o077) === 0
const marks = { ok: '✓', warning: '!', failed: '✗' }

const doctor = command({
  usage: 'doctor',
  what: 'Check this installation for problems',
  options: jsonOption,
  async run(_, options) {
    const environment = environmentOf()
    const findings: (Finding & { name: string })[] = []
    for (const [name, check] of Object.entries(checks)) {
      const finding = await Promise.try(() => check(environment)).catch((thrown: unknown) =>
        failed(String(thrown)),
      )
      findings.push({ name, ...finding })
    }
    const width = Math.max(...findings.map(({ name }) => name.length))
    const lines = findings.map(
      ({ name, state, message }) => `${marks[state]} ${name.padEnd(width)}  ${message}`,
    )
    const bad = findings.some(({ state }) => state === 'failed')
    print(options, { ok: !bad, findings }, lines.join('\n'))
    return bad ? 1 : 0
  },
})

const version = command({
  usage: 'version',
  what: 'Print the version',
  options: jsonOption,
  run(_, options) {
    const { version } = defaultConfig
    print(options, { version, node: process.version }, version)
  },
})

export const commands = [doctor, version]
