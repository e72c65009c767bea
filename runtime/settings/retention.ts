import { z } from 'zod'
import type { Context } from '../context.ts'
import { commit, retainedEvents } from '../events/commit.ts'
import { event } from '../events/event.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { type Retained, type RetainedSize, type RetentionKind, retentionKinds } from '../retention.ts'
import { day, iso } from '../time.ts'
import { BackupFiles, backupSettings } from './backup/schema.ts'
import { defineSection, readSection } from './section.ts'

const age = z.number().int().min(1).max(3_650)

const days = (title: string, description: string) => age.nullable().meta({ title, description, unit: 'days' })

export const RetentionSettings = z.object({
  events_days: age.meta({
    title: 'Events',
    description: 'For webhooks, triggers and clients that were disconnected',
    unit: 'days',
  }),
  runs_days: days('Job runs', 'Leave empty to keep them'),
  loop_runs_days: days(
    'Loop runs',
    'Including iterations. The latest run of each loop is always kept. Leave empty to keep all',
  ),
  executions_days: days('Workflow executions', 'Including node runs. Leave empty to keep them'),
  recordings_days: days('Screen recordings', 'Including video files. Leave empty to keep them'),
  files_days: days(
    'Uploaded files',
    'Including files in conversations, which then show only the file names. Leave empty to keep them',
  ),
  logs_days: days(
    'Log files',
    'Except the current one. At most five files of 10 MB are kept. Leave empty to keep these',
  ),
  budget_mb: z.number().int().min(10).max(100_000_000).nullable().meta({
    title: 'Budget',
    description:
      'If the data of these kinds takes more, the oldest is deleted until it takes 90 %, but nothing of the last day. Files are deleted only if they have an age above. Empty: no budget',
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
    logs_days: null,
    budget_mb: null,
  }),
})

const ageOf = (settings: RetentionSettings, kind: RetentionKind): number | null => settings[`${kind}_days`]

/** The kinds of data on this host, in the order of the settings. */
async function retainedOf(host: Host): Promise<(readonly [RetentionKind, Retained])[]> {
  const found = retentionKinds.map(async (kind) => {
    if (kind === 'events') return [kind, retainedEvents] as const
    const load = host.areas.map(({ retained }) => retained?.[kind]).find(Boolean)
    return load ? ([kind, await load()] as const) : null
  })
  return (await Promise.all(found)).filter((entry) => entry !== null)
}

/** Maximum files that the daily cleanup deletes, because scheduled work waits for it. */
const maxDailyFiles = 1_000

/** Statements that delete data older than its limit. */
export async function pruneByAge(host: Host, maxFiles = maxDailyFiles): Promise<Statement[]> {
  const settings = await readSection(host, retentionSettings)
  const now = host.clock.now()
  const pruned: (readonly Statement[])[] = []
  for (const [kind, retained] of await retainedOf(host)) {
    const limit = ageOf(settings, kind)
    if (limit !== null) pruned.push(await retained.prune(host, iso(now - limit * day), maxFiles))
  }
  return pruned.flat()
}

export const StoredKind = z.object({
  kind: z.enum(retentionKinds),
  rows: z.number().int(),
  /** An estimate, without database overhead. */
  bytes: z.number().int(),
  oldest_at: z.string().nullable(),
  /** Null: kept until the budget is exceeded. */
  days: z.number().int().nullable(),
})

export const Storage = z.object({
  kinds: z.array(StoredKind),
  /** Total size of all kinds, in bytes. */
  total_bytes: z.number().int(),
  budget_bytes: z.number().int().nullable(),
  budget: z.enum(['none', 'ok', 'near', 'exceeded']),
  database: z.object({ bytes: z.number().int(), wal_bytes: z.number().int() }),
  disk: z.object({ free_bytes: z.number().int(), total_bytes: z.number().int() }).nullable(),
  backups: z.object({ count: z.number().int(), bytes: z.number().int() }),
  /** What a backup with files includes; null if this host makes no backups. */
  files: BackupFiles.nullable(),
})
export type Storage = z.output<typeof Storage>

/** Fraction of the budget at which a warning is sent, and to which deletion reduces the data. */
const near = 0.9

const megabyte = 1_000_000

type Measured = RetainedSize & { kind: RetentionKind; retained: Retained }

const measure = async (host: Host): Promise<Measured[]> =>
  Promise.all(
    (await retainedOf(host)).map(async ([kind, retained]) => ({
      kind,
      retained,
      ...(await retained.size(host)),
    })),
  )

const totalOf = (kinds: readonly { bytes: number }[]) => kinds.reduce((sum, { bytes }) => sum + bytes, 0)

function budgetState(total: number, budget: number | null): 'none' | 'ok' | 'near' | 'exceeded' {
  if (budget === null) return 'none'
  if (total > budget) return 'exceeded'
  return total > budget * near ? 'near' : 'ok'
}

export async function readStorage(context: Context): Promise<Storage> {
  const settings = await readSection(context, retentionSettings)
  const { folder } = await readSection(context, backupSettings)
  const [kinds, database, disk, backups, files] = await Promise.all([
    measure(context),
    context.sql.size(),
    context.machine.disk(),
    context.backups.list(folder),
    context.backups.unsupported === null ? context.backups.measure() : null,
  ])
  const total_bytes = totalOf(kinds)
  const budget_bytes = settings.budget_mb === null ? null : settings.budget_mb * megabyte
  return {
    kinds: kinds.map(({ retained: _, ...kind }) => ({ ...kind, days: ageOf(settings, kind.kind) })),
    total_bytes,
    budget_bytes,
    budget: budgetState(total_bytes, budget_bytes),
    database,
    disk,
    backups: {
      count: backups.length,
      bytes: totalOf(backups.flatMap((one) => [one, one.files ?? { bytes: 0 }])),
    },
    files,
  }
}

/** Maximum deletion steps; each deletes one day or a thirtieth of the stored period, whichever is longer. */
const maxSteps = 60

/** Deletes the oldest data if the budget is exceeded, and warns when it is nearly used up. */
export async function keepBudget(host: Host): Promise<void> {
  const settings = await readSection(host, retentionSettings)
  if (settings.budget_mb === null) return
  const budget = settings.budget_mb * megabyte
  const kinds = await measure(host)
  const before = totalOf(kinds)
  const state = budgetState(before, budget)
  if (state === 'ok' || state === 'none') return
  if (state === 'exceeded') await prune(host, settings, kinds, budget * near)
  const data = { state, bytes: before, budget_bytes: budget, deleted_bytes: before - totalOf(kinds) }
  await commit(host, [], [event('storage.budget_reached', data)])
}

async function prune(
  host: Host,
  settings: RetentionSettings,
  kinds: Measured[],
  target: number,
): Promise<void> {
  // Events of the last day may still be delivered, and runs shown: as with an age, a day is the least that is kept.
  const newest = host.clock.now() - day
  let candidates = kinds.filter(({ kind }) => kind !== 'files' || settings.files_days !== null)
  for (let step = 0; step < maxSteps && totalOf(kinds) > target; step += 1) {
    candidates = candidates.filter(({ oldest_at }) => oldest_at !== null && Date.parse(oldest_at) < newest)
    const [oldest] = candidates.sort((a, b) => String(a.oldest_at).localeCompare(String(b.oldest_at)))
    if (!oldest?.oldest_at) return
    const from = Date.parse(oldest.oldest_at)
    const until = Math.min(newest, from + Math.max(day, (newest - from) / 30))
    const known = oldest.rows
    await commit(host, [...(await oldest.retained.prune(host, iso(until), maxDailyFiles))])
    Object.assign(oldest, await oldest.retained.size(host))
    if (oldest.rows === known) candidates = candidates.filter((kind) => kind !== oldest)
  }
}

/** Applies the rules immediately instead of once a day. */
export async function applyRetention(context: Context): Promise<Storage> {
  await context.commit(await pruneByAge(context, Number.MAX_SAFE_INTEGER))
  await keepBudget(context)
  return readStorage(context)
}
