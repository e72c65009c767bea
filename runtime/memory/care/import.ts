import type { Context } from '../../context.ts'
import { badRequest } from '../../fault.ts'
import { checkBody } from '../../http/validate.ts'
import { newId } from '../../id.ts'
import { iso } from '../../time.ts'
import { Pace } from '../pace.ts'
import { queueIndex } from '../retrieval/index-queue.ts'
import { exportVersion } from './export.ts'
import { knownIds } from './export-store.ts'
import { itemsOf, memberBefore } from './items.ts'
import { ImportedEpisode, type ImportResult, type WholeEpisode } from './schema.ts'
import { reinsertEpisode } from './version-store.ts'

/** Bytes of a file. */
export const importLimit = 100 * 1024 * 1024

/** Episodes of one commit: others get their turn in between. */
const perCommit = { least: 5, most: 200 }
const shownProblems = 100

/**
 * Takes in the episodes of an export. Those that are there already, by their id, are left as they are; those that are no
 * episodes are named. Entities and facts are made anew of the episodes.
 */
export async function importMemory(context: Context, text: string, dryRun: boolean): Promise<ImportResult> {
  const invalid = await checkFile(context, text)
  const result: ImportResult = { imported: 0, skipped: 0, invalid, dry_run: dryRun }
  const seen = new Set<string>()
  const pace = new Pace(perCommit, 10)
  for (const some of batchesOf(text, pace)) {
    context.signal.throwIfAborted()
    const known = await knownIds(
      context,
      some.flatMap(({ id }) => id ?? []),
    )
    const fresh = some.filter(({ id }) => id === undefined || !(known.has(id) || seen.has(id)))
    for (const { id } of some) if (id !== undefined) seen.add(id)
    result.imported += fresh.length
    result.skipped += some.length - fresh.length
    if (!dryRun && fresh.length > 0) await pace.time(context.clock.now, () => store(context, fresh))
    await context.clock.after(0)
  }
  // What is there already may be of an import that was cut, and not durable yet either.
  if (!dryRun && result.imported + result.skipped > 0) await context.commit([queueIndex(context)])
  context.process.wake()
  return result
}

/** Milliseconds that items are looked at between two turns of the event loop. */
const turn = 5

/** Reads the whole file before anything is stored of it. Returns what is no episode; throws when it is no export. */
async function checkFile(context: Context, text: string): Promise<ImportResult['invalid']> {
  const invalid: ImportResult['invalid'] = []
  let index = 0
  let begun = context.clock.now()
  try {
    checkVersion(memberBefore(text, 'episodes', 'version'))
    for (const item of itemsOf(text, 'episodes')) {
      const message = problemOf(item)
      if (message !== null && invalid.length < shownProblems) invalid.push({ index, message })
      index += 1
      if (context.clock.now() - begun < turn) continue
      await context.clock.after(0)
      begun = context.clock.now()
    }
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    throw badRequest(`The file is not an export of memory: ${thrown.message}`)
  }
  return invalid
}

/** A later release may mean something else by the same words. */
function checkVersion(version: unknown): void {
  if (typeof version === 'number' && version > exportVersion)
    throw badRequest(
      `The file is of version ${version}; this release reads version ${exportVersion}: bring hearthd up to date`,
    )
}

function problemOf(item: unknown): string | null {
  try {
    checkBody(ImportedEpisode, item)
    return null
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** Each as large as the pace is when it begins to be read. */
function* batchesOf(text: string, pace: Pace): Generator<ImportedEpisode[]> {
  let batch: ImportedEpisode[] = []
  for (const item of itemsOf(text, 'episodes')) {
    const episode = ImportedEpisode.safeParse(item)
    if (!episode.success) continue
    batch.push(episode.data)
    if (batch.length < pace.size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function store(context: Context, fresh: readonly ImportedEpisode[]): Promise<void> {
  const now = context.clock.now()
  const rows = fresh.map(({ id, created_at, ...episode }): WholeEpisode => {
    const at = created_at === undefined ? iso(now) : iso(Date.parse(created_at))
    return { id: id ?? newId('ep', now), ...episode, created_at: at, updated_at: iso(now) }
  })
  const event = { type: 'memory.episodes.imported', data: { episode_ids: rows.map(({ id }) => id) } }
  // The last commit of the import makes all of it durable.
  await context.commit([...rows.map(reinsertEpisode), queueIndex(context)], [event], { durable: false })
}
