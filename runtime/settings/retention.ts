import { z } from 'zod'
import { BackupFiles } from '../backup-file.ts'
import type { Context } from '../context.ts'
import { retainedEvents } from '../events/commit.ts'
import { event } from '../events/event.ts'
import type { Host } from '../host.ts'
import { type Retained, type RetainedSize, type RetentionKind, retentionKinds } from '../retention.ts'
import { defineSection, readSection } from '../sections/section.ts'
import { day, iso } from '../time.ts'
import { backupSettings } from './backup/schema.ts'
import { isCleaning } from './cleanup-queue.ts'
import { measurePages, spaceByArea, spaceOf, totalBytes } from './space.ts'

const age = z.int().min(1).max(3_650)

const days = (title: string, description: string) => age.nullable().meta({ title, description, unit: 'days' })

export const RetentionSettings = z.object({
  events_days: age.meta({
    title: 'Events',
    description: 'For webhooks, triggers and clients that were disconnected',
    unit: 'days',
  }),
  runs_days: days('Job runs', 'Leave blank to keep them'),
  loop_runs_days: days(
    'Loop runs',
    'Including iterations. The latest run of each loop is always kept. Leave blank to keep all',
  ),
  executions_days: days('Workflow executions', 'Including node runs. Leave blank to keep them'),
  recordings_days: days('Screen recordings', 'Including video files. Leave blank to keep them'),
  files_days: days(
    'Uploaded files',
    'Including files in conversations, which then show only the file names. Leave blank to keep them',
  ),
  file_changes_days: days(
    'Changes of files',
    'What agents have replaced in files, so that it can be undone. Leave blank to keep it',
  ),
  model_requests_days: days(
    'Requests to models',
    'What was sent to model providers, at most the latest 1,000 requests. Leave blank to keep these',
  ),
  logs_days: days(
    'Log files',
    'Except the current one. At most five files of 10 MB are kept. Leave blank to keep these',
  ),
  budget_mb: z.int().min(10).max(100_000_000).nullable().meta({
    title: 'Budget',
    description:
      'If the data of these kinds takes more, the oldest is deleted until it takes 90 %, but nothing of the last day. Files are deleted only if they have an age above. Leave blank for no budget',
    unit: 'MB',
  }),
})
export type RetentionSettings = z.output<typeof RetentionSettings>

/** How long data is kept. Memories and the audit log have their own rules. */
export const retentionSettings = defineSection({
  name: 'retention',
  title: 'how long data is kept',
  access: 'admin',
  schema: RetentionSettings,
  kept_on_reset: true,
  defaults: (): RetentionSettings => ({
    events_days: 7,
    runs_days: null,
    loop_runs_days: null,
    executions_days: 30,
    recordings_days: null,
    files_days: null,
    file_changes_days: 30,
    model_requests_days: 14,
    logs_days: null,
    budget_mb: null,
  }),
})

const ageOf = (settings: RetentionSettings, kind: RetentionKind): number | null => settings[`${kind}_days`]

/** The kinds of data on this host, in the order of the settings. */
async function retainedOf(host: Host): Promise<(readonly [RetentionKind, Retained])[]> {
  const kinds = retentionKinds.map(async (kind) => {
    if (kind === 'events') return [kind, retainedEvents] as const
    const load = host.areas.map(({ retained }) => retained?.[kind]).find(Boolean)
    return load ? ([kind, await load()] as const) : null
  })
  return (await Promise.all(kinds)).filter((entry) => entry !== null)
}

/** Rows or files that are deleted at once. Other writes wait for that, and a stop. */
const batch = 200

/** Deletes what is older than `before`, in batches until it is done. */
async function pruneBefore(context: Context, retained: Retained, before: string): Promise<void> {
  do context.signal.throwIfAborted()
  while ((await retained.prune(context, before, batch)) === batch)
}

/** Deletes data that is older than its limit. */
export async function pruneByAge(context: Context): Promise<void> {
  const settings = await readSection(context, retentionSettings)
  const now = context.clock.now()
  for (const [kind, retained] of await retainedOf(context)) {
    const limit = ageOf(settings, kind)
    if (limit === null) continue
    try {
      await pruneBefore(context, retained, iso(now - limit * day))
    } catch (cause) {
      context.signal.throwIfAborted()
      context.log.write('error', 'cannot delete old data', { kind, cause })
    }
  }
}

export const StoredKind = z.object({
  kind: z.enum(retentionKinds),
  rows: z.int(),
  /** In the database with indexes and other overhead, where the host can measure that. */
  bytes: z.int(),
  oldest_at: z.string().nullable(),
  /** Null: kept until the budget is exceeded. */
  days: z.int().nullable(),
})

export const Storage = z.object({
  kinds: z.array(StoredKind),
  /** Total size of all kinds, in bytes. */
  total_bytes: z.int(),
  budget_bytes: z.int().nullable(),
  budget: z.enum(['none', 'ok', 'near', 'exceeded']),
  /** `bytes` is the sum of the areas, `other_bytes` and `free_bytes`. */
  database: z.object({
    bytes: z.int(),
    wal_bytes: z.int(),
    /** With indexes, the largest first; `core` has events and queued work. Empty if this host cannot measure them. */
    areas: z.array(z.object({ area: z.string(), bytes: z.int() })),
    /** The schema and the file's own administration; everything if the areas cannot be measured. */
    other_bytes: z.int(),
    /** Pages of deleted data, which the next cleanup returns to the system. */
    free_bytes: z.int(),
  }),
  disk: z.object({ free_bytes: z.int(), total_bytes: z.int() }).nullable(),
  backups: z.object({ count: z.int(), bytes: z.int() }),
  /** What a backup with files includes; null if this host makes no backups. */
  files: BackupFiles.nullable(),
  /** Whether a cleanup is queued or running. */
  cleaning: z.boolean(),
})
export type Storage = z.output<typeof Storage>

/** Fraction of the budget at which a warning is sent, and to which deletion reduces the data. */
const near = 0.9

const megabyte = 1_000_000

interface Measured extends Omit<RetainedSize, 'table_bytes'> {
  kind: RetentionKind
  retained: Retained
  /** What a byte of the content takes in the database. */
  overhead: number
}

async function measure(host: Host): Promise<Measured[]> {
  const pages = await measurePages(host)
  const measured = (await retainedOf(host)).map(async ([kind, retained]) => {
    const { rows, bytes, table_bytes = 0, oldest_at } = await retained.size(host)
    const space = pages && retained.tables && table_bytes > 0 ? spaceOf(pages, retained.tables) : 0
    const overhead = space > 0 ? space / table_bytes : 1
    return { kind, retained, rows, bytes: Math.round(bytes * overhead), oldest_at, overhead }
  })
  return Promise.all(measured)
}

/** Measures a kind again after a deletion. */
async function remeasure(host: Host, kind: Measured): Promise<void> {
  const { rows, bytes, oldest_at } = await kind.retained.size(host)
  Object.assign(kind, { rows, bytes: Math.round(bytes * kind.overhead), oldest_at })
}

async function measureDatabase(host: Host): Promise<Storage['database']> {
  const { bytes, wal_bytes } = await host.sql.size()
  const pages = await measurePages(host)
  if (!pages) return { bytes, wal_bytes, areas: [], other_bytes: bytes, free_bytes: 0 }
  return { wal_bytes, ...spaceByArea(host, pages) }
}

function budgetState(total: number, budget: number | null): 'none' | 'ok' | 'near' | 'exceeded' {
  if (budget === null) return 'none'
  if (total > budget) return 'exceeded'
  return total > budget * near ? 'near' : 'ok'
}

export async function readStorage(context: Context): Promise<Storage> {
  const settings = await readSection(context, retentionSettings)
  const { folder } = await readSection(context, backupSettings)
  const [kinds, database, disk, backups, files, cleaning] = await Promise.all([
    measure(context),
    measureDatabase(context),
    context.machine.disk(),
    context.backups.list(folder),
    context.backups.unsupported === null ? context.backups.measure() : null,
    isCleaning(context),
  ])
  const total_bytes = totalBytes(kinds)
  const budget_bytes = settings.budget_mb === null ? null : settings.budget_mb * megabyte
  return {
    kinds: kinds.map(({ retained: _, overhead: __, ...kind }) => ({
      ...kind,
      days: ageOf(settings, kind.kind),
    })),
    total_bytes,
    budget_bytes,
    budget: budgetState(total_bytes, budget_bytes),
    database,
    disk,
    backups: {
      count: backups.length,
      bytes: totalBytes(backups.flatMap((one) => [one, one.files ?? { bytes: 0 }])),
    },
    files,
    cleaning,
  }
}

/** Maximum deletion steps; each deletes one day or a thirtieth of the stored period, whichever is longer. */
const maxSteps = 60

/** Deletes the oldest data if the budget is exceeded, and warns when it is nearly used up. */
export async function keepBudget(context: Context): Promise<void> {
  const settings = await readSection(context, retentionSettings)
  if (settings.budget_mb === null) return
  const budget = settings.budget_mb * megabyte
  const kinds = await measure(context)
  const before = totalBytes(kinds)
  const state = budgetState(before, budget)
  if (state === 'ok' || state === 'none') return
  if (state === 'exceeded') await prune(context, settings, kinds, budget * near)
  const data = { state, bytes: before, budget_bytes: budget, deleted_bytes: before - totalBytes(kinds) }
  await context.commit([], [event('storage.budget_reached', data)])
}

async function prune(context: Context, settings: RetentionSettings, kinds: Measured[], target: number) {
  // Events of the last day may still be delivered, and runs shown: as with an age, a day is the least that is kept.
  const newest = context.clock.now() - day
  let candidates = kinds.filter(({ kind }) => kind !== 'files' || settings.files_days !== null)
  for (let step = 0; step < maxSteps && totalBytes(kinds) > target; step += 1) {
    candidates = candidates.filter(({ oldest_at }) => oldest_at !== null && Date.parse(oldest_at) < newest)
    const [oldest] = candidates.sort((a, b) => String(a.oldest_at).localeCompare(String(b.oldest_at)))
    if (!oldest?.oldest_at) return
    const from = Date.parse(oldest.oldest_at)
    const until = Math.min(newest, from + Math.max(day, (newest - from) / 30))
    const rows = oldest.rows
    await pruneBefore(context, oldest.retained, iso(until))
    await remeasure(context, oldest)
    if (oldest.rows === rows) candidates = candidates.filter((kind) => kind !== oldest)
  }
}
