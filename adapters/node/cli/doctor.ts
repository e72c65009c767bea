import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type Database from 'libsql'
import { defaultConfig } from '../../../runtime/config.ts'
import { pricesAsOf } from '../../../runtime/models/vendors/index.ts'
import { redact as redactSecrets } from '../../../runtime/secrets/redact.ts'
import { day } from '../../../runtime/time.ts'
import { backUp, backupFolder, backupPath, lastGoodBackup, partialBackups, sweepPartial } from '../../libsql/backup.ts'
import { innerDamage, isDamageCode, outerDamage, readMarker } from '../../libsql/damage.ts'
import { databasePath, openDatabase } from '../../libsql/database.ts'
import { folderHolder, holderUrl, lockFolder, markCopied } from '../../libsql/lock.ts'
import { restoreStore } from '../../libsql/restore.ts'
import { type Environment, unknownVariables, unreadableVariables } from '../environment.ts'
import { whoListens } from '../listen.ts'
import { command, environmentOf, jsonOption, print } from './command.ts'
import { askHealth } from './process.ts'
import { ask } from './prompt.ts'
import { type UiState, uiState } from './ui-build.ts'

interface Finding {
  state: 'ok' | 'warning' | 'failed'
  message: string
  repair?: Repair
}

/** A repair that doctor offers for a finding and makes only if the user agrees. */
interface Repair {
  /** What the repair does, in the imperative without punctuation: `Make … private`. */
  explain: string
  run(): void
}

const ok = (message: string): Finding => ({ state: 'ok', message })
const warning = (message: string): Finding => ({ state: 'warning', message })
const failed = (message: string, repair?: Repair): Finding => ({
  state: 'failed',
  message,
  ...(repair && { repair }),
})

const makePrivate = (path: string, mode: number): Repair => ({
  explain: `Remove the access of other users to ${path}`,
  run: () => chmodSync(path, mode),
})

const uiFindings: Record<UiState, Finding> = {
  current: ok('built'),
  'no sources': ok('built'),
  stale: warning('older than its sources: the next start builds it, or npm run build'),
  incomplete: warning('the last build was interrupted: the next start builds it, or npm run build'),
  missing: warning('not built: npm run build'),
}

const checks: Record<string, (environment: Environment) => Finding | Promise<Finding>> = {
  node: () => ok(process.version),
  environment() {
    const problems = [
      ...unknownVariables(process.env).map((name) => `${name} is not a variable of hearthd`),
      ...unreadableVariables(process.env).map((name) => `${name} cannot be read and is ignored`),
    ]
    return problems.length === 0 ? ok('all variables are known and readable') : warning(problems.join('; '))
  },
  'data folder'({ data_dir }) {
    if (!existsSync(data_dir)) return warning(`${data_dir} does not exist yet; hearthd start creates it`)
    return isPrivate(data_dir)
      ? ok(data_dir)
      : failed(`other users can read ${data_dir}: run chmod 700 ${data_dir}`, makePrivate(data_dir, 0o700))
  },
  'master key'({ data_dir, secret_key }) {
    if (secret_key) return ok('from SERVICE_SECRET_KEY')
    const path = join(data_dir, 'master.key')
    if (existsSync(path))
      return isPrivate(path)
        ? ok(path)
        : failed(`other users can read ${path}: run chmod 600 ${path}`, makePrivate(path, 0o600))
    return readMarker(data_dir)
      ? failed(`${path} is missing: stored secrets cannot be read`)
      : ok('created at the first start')
  },
  database({ data_dir, database_url, encryption_key }) {
    if (database_url) return ok(`on ${new URL(database_url).host}`)
    const path = databasePath(data_dir)
    const outside = outerDamage(path, readMarker(data_dir), encryption_key !== undefined)
    if (outside) return failed(`${path}: ${outside}`, restoreLast(data_dir, encryption_key))
    if (!existsSync(path)) return ok('created at the first start')
    const inside = damageInside(path, encryption_key)
    markCopied(data_dir)
    return inside ? failed(`${path}: ${inside}`, restoreLast(data_dir, encryption_key)) : ok(`${path} is intact`)
  },
  backup({ data_dir, database_url, encryption_key }) {
    if (database_url) return ok('kept by the database server')
    const backup = lastGoodBackup(data_dir, encryption_key)
    if (backup) return ok(backup)
    const none = warning('there is no backup; create one with hearthd backup')
    return existsSync(databasePath(data_dir)) ? { ...none, repair: makeBackup(data_dir, encryption_key) } : none
  },
  leftovers({ data_dir }) {
    const left = partialBackups(backupFolder(data_dir))
    if (left.length === 0) return ok('none')
    const explain = `Delete ${left.length} incomplete backups in ${backupFolder(data_dir)}`
    const finding = warning(`${left.length} backups are incomplete`)
    return folderHolder(data_dir)
      ? finding
      : { ...finding, repair: { explain, run: () => sweepPartial(backupFolder(data_dir)) } }
  },
  async disk({ data_dir }) {
    if (!existsSync(data_dir)) return ok('nothing stored yet')
    const { bavail, bsize } = await statfs(data_dir)
    const free = Math.floor((bavail * bsize) / 1024 / 1024)
    const judge = free < 100 ? failed : free < 1024 ? warning : ok
    return judge(`${free} MiB free`)
  },
  'model prices': () => judgePrices(pricesAsOf, Date.now()),
  'web UI'() {
    return uiFindings[uiState()]
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

/** Built-in prices older than 90 days are probably wrong for some models. */
export function judgePrices(as_of: string, now: number): Finding {
  const days = Math.floor((now - Date.parse(as_of)) / day)
  return days <= 90
    ? ok(`of ${as_of}`)
    : warning(`of ${as_of}, ${days} days old: update hearthd, or enter today's prices in Settings → Providers`)
}

/** Some damage makes opening or the check itself fail. With a wrong encryption key every page looks damaged. */
function damageInside(path: string, encryption_key: string | undefined): string | null {
  let db: Database.Database | undefined
  try {
    db = openDatabase(path, encryption_key)
    const damage = innerDamage(db)
    if (damage === null) db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    return damage
  } catch (thrown) {
    if (encryption_key !== undefined || !isDamageCode(thrown)) throw thrown
    return (thrown as Error).message
  } finally {
    db?.close()
  }
}

const isPrivate = (path: string) => process.platform === 'win32' || (statSync(path).mode & 0o077) === 0
const marks = { ok: '✓', warning: '!', failed: '✗' }

/** Allowed only while no daemon uses the folder. */
function restoreLast(data_dir: string, encryption_key: string | undefined): Repair | undefined {
  const backup = folderHolder(data_dir) ? null : lastGoodBackup(data_dir, encryption_key)
  if (!backup) return undefined
  return {
    explain: `Replace the database with the last good backup, ${backup}; the damaged file is kept next to it`,
    run() {
      const lock = lockFolder(data_dir)
      try {
        restoreStore(data_dir, backup, encryption_key)
      } finally {
        lock.release()
      }
    },
  }
}

const makeBackup = (data_dir: string, encryption_key: string | undefined): Repair => ({
  explain: 'Make a backup now',
  run() {
    const db = openDatabase(databasePath(data_dir), encryption_key)
    try {
      backUp(db, backupPath(data_dir, 'manual'), encryption_key)
    } finally {
      db.close()
    }
    markCopied(data_dir)
  },
})

type Named = Finding & { name: string }

const doctor = command({
  usage: 'doctor',
  what: 'Check this installation for problems and offer repairs',
  options: {
    yes: { short: 'y', what: 'Make all repairs without asking' },
    bundle: { value: 'file', what: 'Write the findings and diagnostics, without secrets, to a file' },
    ...jsonOption,
  },
  async run(_, options) {
    const environment = environmentOf()
    const findings = await check(environment)
    const repaired = await repair(findings, options)
    const left = repaired.length > 0 ? await check(environment) : findings
    if (options.bundle !== undefined) await writeBundle(resolve(options.bundle), left, environment)
    const bad = left.some(({ state }) => state === 'failed')
    const offered = left.filter((finding) => finding.repair !== undefined)
    const lines = [
      ...linesOf(left),
      ...repaired.map((explain) => `Repaired: ${explain}`),
      ...(offered.length > 0 ? ['', 'Run hearthd doctor --yes to make these repairs:'] : []),
      ...offered.map((finding) => `  ${finding.repair?.explain}`),
      ...(options.bundle === undefined ? [] : ['', `Diagnostics: ${resolve(options.bundle)}`]),
    ]
    const printed = left.map(({ repair: offer, ...finding }) => ({
      ...finding,
      repair: offer?.explain ?? null,
    }))
    print(options, { ok: !bad, findings: printed, repaired }, lines.join('\n'))
    return bad ? 1 : 0
  },
})

async function check(environment: Environment): Promise<Named[]> {
  const findings: Named[] = []
  for (const [name, look] of Object.entries(checks)) {
    const finding = await Promise.try(() => look(environment)).catch((thrown: unknown) => failed(String(thrown)))
    findings.push({ name, ...finding })
  }
  return findings
}

function linesOf(findings: readonly Named[]): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length))
  return findings.map(({ name, state, message }) => `${marks[state]} ${name.padEnd(width)}  ${message}`)
}

/** Makes the repairs that the user agrees to and returns them. Without a terminal, `--yes` is required. */
async function repair(
  findings: readonly Named[],
  { yes, json }: { yes?: boolean | undefined; json?: boolean | undefined },
): Promise<string[]> {
  const done: string[] = []
  for (const { name, message, repair: offer } of findings) {
    if (!offer) continue
    const question = `${name}: ${message}\n${offer.explain}?`
    const agreed = yes || (!json && /^y(es)?$/i.test(await ask(question, 'no')))
    if (!agreed) continue
    offer.run()
    done.push(offer.explain)
  }
  return done
}

/** The findings with the daemon's diagnostics or, if it is not running, diagnostics of the stored data. */
async function writeBundle(file: string, findings: readonly Named[], environment: Environment): Promise<void> {
  const results = findings.map(({ name, state, message }) => ({
    name,
    state,
    message: redactSecrets(message),
  }))
  const { platform, arch, version: node } = process
  const variables = Object.keys(process.env).filter((name) => name.startsWith('SERVICE_'))
  const diagnostics = await collect(environment).catch((thrown: unknown) => ({
    unavailable: redactSecrets(thrown instanceof Error ? thrown.message : String(thrown)),
  }))
  const bundle = { platform, arch, node, variables, findings: results, diagnostics }
  writeFileSync(file, `${JSON.stringify(bundle, null, 2)}\n`, { mode: 0o600 })
}

async function collect(environment: Environment): Promise<unknown> {
  const [{ withClient }, { withLocalHost }] = await Promise.all([import('./client.ts'), import('./local.ts')])
  if (folderHolder(environment.data_dir)) return withClient({}, (client) => client.get('/api/settings/diagnostics'))
  const [{ localContext }, { diagnostics }, { servedSections }] = await Promise.all([
    import('../../../runtime/auth/local.ts'),
    import('../../../runtime/settings/diagnostics.ts'),
    import('../../../handlers/settings/sections.ts'),
  ])
  const sections = servedSections.map(({ section }) => section)
  return withLocalHost(environment, (host) => diagnostics(localContext(host), sections))
}

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
