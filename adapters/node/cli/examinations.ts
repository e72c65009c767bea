import { existsSync, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { lastGoodBackup } from '../../libsql/backup.ts'
import { innerDamage, outerDamage } from '../../libsql/damage.ts'
import { openDatabase } from '../../libsql/database.ts'
import { folderHolder, holderUrl } from '../../libsql/lock.ts'
import { readMarker } from '../../libsql/marker.ts'
import { databasePath } from '../../libsql/open.ts'
import { type Environment, unknownVariables } from '../environment.ts'
import { askHealth } from './target.ts'
import { whoListens } from './who-listens.ts'

export interface Examined {
  name: string
  state: 'ok' | 'warning' | 'failed'
  message: string
}

type Outcome = Omit<Examined, 'name'>
type Examination = (environment: Environment) => Outcome | Promise<Outcome>

const ok = (message: string): Outcome => ({ state: 'ok', message })
const warning = (message: string): Outcome => ({ state: 'warning', message })
const failed = (message: string): Outcome => ({ state: 'failed', message })

const examinations: Record<string, Examination> = {
  node: () =>
    Number(process.versions.node.split('.')[0]) >= 24
      ? ok(process.version)
      : failed(`${process.version}; 24 is needed`),
  environment: () => {
    const unknown = unknownVariables(process.env)
    return unknown.length === 0
      ? ok('every SERVICE_ variable is known')
      : warning(`unknown: ${unknown.join(', ')}`)
  },
  'data folder': ({ data_dir }) => {
    if (!existsSync(data_dir)) return warning(`${data_dir} does not exist yet; hearthd start makes it`)
    return isPrivate(data_dir) ? ok(data_dir) : failed(`others can read ${data_dir}: chmod 700 ${data_dir}`)
  },
  'master key': ({ data_dir, secret_key }) => {
    if (secret_key) return ok('from SERVICE_SECRET_KEY')
    const path = join(data_dir, 'master.key')
    if (!existsSync(path))
      return readMarker(data_dir)
        ? failed(`${path} is missing: stored secrets cannot be read`)
        : ok('made at the first start')
    return isPrivate(path) ? ok(path) : failed(`others can read ${path}: chmod 600 ${path}`)
  },
  database: examineDatabase,
  backup: ({ data_dir, database_url, encryption_key }) => {
    if (database_url) return ok('kept by the database server')
    const backup = lastGoodBackup(data_dir, encryption_key)
    return backup ? ok(backup) : warning('there is none; make one with hearthd backup')
  },
  disk: async ({ data_dir }) => {
    if (!existsSync(data_dir)) return ok('nothing stored yet')
    const { bavail, bsize } = await statfs(data_dir)
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    return free < 100
      ? failed(`${free} MiB free`)
      : free < 1024
        ? warning(`${free} MiB free`)
        : ok(`${free} MiB free`)
  },
  'web UI': () => {
    const built = join(import.meta.dirname, '..', '..', '..', 'web', 'dist', 'index.html')
    return existsSync(built) ? ok('built') : warning('not built: npm run build')
  },
  daemon: examineDaemon,
}

/** Every examination, one after the other; one that breaks is itself a finding. */
export async function examineInstallation(environment: Environment): Promise<Examined[]> {
  const findings: Examined[] = []
  for (const [name, examine] of Object.entries(examinations)) {
    const outcome = await Promise.try(() => examine(environment)).catch((thrown: unknown) =>
      failed(String(thrown)),
    )
    findings.push({ name, ...outcome })
  }
  return findings
}

const isPrivate = (path: string) => process.platform === 'win32' || (statSync(path).mode & 0o077) === 0

function examineDatabase({ data_dir, database_url, encryption_key }: Environment): Outcome {
  if (database_url) return ok(`on ${new URL(database_url).host}`)
  const path = databasePath(data_dir)
  const outside = outerDamage(path, readMarker(data_dir), encryption_key !== undefined)
  if (outside) return failed(`${path}: ${outside}`)
  if (!existsSync(path)) return ok('made at the first start')
  const db = openDatabase(path, encryption_key)
  const inside = innerDamage(db)
  db.close()
  return inside ? failed(`${path}: ${inside}`) : ok(`${path} is sound`)
}

async function examineDaemon({ data_dir, port }: Environment): Promise<Outcome> {
  const holder = folderHolder(data_dir)
  if (!holder) {
    const other = port === 0 ? null : whoListens(port)
    return other ? warning(`not running, and port ${port} is taken (${other})`) : ok('not running')
  }
  const vitals = await askHealth(holderUrl(holder))
  return vitals
    ? ok(`${vitals.status} at ${holderUrl(holder)} (pid ${holder.pid})`)
    : failed(`pid ${holder.pid} does not answer at ${holderUrl(holder)}`)
}
