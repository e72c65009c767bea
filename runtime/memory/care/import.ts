import { z } from 'zod'
import type { Context } from '../../context.ts'
import { badRequest } from '../../fault.ts'
import { checkBody } from '../../http/validate.ts'
import { newId } from '../../id.ts'
import { iso } from '../../time.ts'
import { queueIndex } from '../retrieval/index-queue.ts'
import { knownIds } from './export-store.ts'
import { ImportedEpisode, type ImportResult, type WholeEpisode } from './schema.ts'
import { reinsertEpisode } from './version-store.ts'

/** Bytes of a file. */
export const importLimit = 100 * 1024 * 1024

/** Episodes of one commit: others get their turn in between. */
const perCommit = 50
const shownProblems = 100

const ExportFile = z.looseObject({ episodes: z.array(z.unknown()) })

/**
 * Takes in the episodes of an export. Those that are there already, by their id, are left as they are; those that are no
 * episodes are named. Entities and facts are made anew of the episodes.
 */
export async function importMemory(context: Context, text: string, dryRun: boolean): Promise<ImportResult> {
  const { episodes, invalid } = readFile(text)
  const result: ImportResult = {
    imported: 0,
    skipped: 0,
    invalid: invalid.slice(0, shownProblems),
    dry_run: dryRun,
  }
  const seen = new Set<string>()
  for (let index = 0; index < episodes.length; index += perCommit) {
    context.signal.throwIfAborted()
    const some = episodes.slice(index, index + perCommit)
    const known = await knownIds(
      context,
      some.flatMap(({ id }) => id ?? []),
    )
    const fresh = some.filter(({ id }) => id === undefined || !(known.has(id) || seen.has(id)))
    for (const { id } of some) if (id !== undefined) seen.add(id)
    result.imported += fresh.length
    result.skipped += some.length - fresh.length
    if (!dryRun && fresh.length > 0) await store(context, fresh)
    await context.clock.after(0)
  }
  context.process.wake()
  return result
}

function readFile(text: string) {
  const file = ExportFile.safeParse(parse(text))
  if (!file.success) throw badRequest('The file is not an export of memory: it has no list of episodes')
  const episodes: ImportedEpisode[] = []
  const invalid: ImportResult['invalid'] = []
  file.data.episodes.forEach((item, index) => {
    try {
      episodes.push(checkBody(ImportedEpisode, item) as ImportedEpisode)
    } catch (thrown) {
      invalid.push({ index, message: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  })
  return { episodes, invalid }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The file is not valid JSON')
  }
}

async function store(context: Context, fresh: readonly ImportedEpisode[]): Promise<void> {
  const now = context.clock.now()
  const rows = fresh.map(({ id, created_at, ...episode }): WholeEpisode => {
    const at = created_at === undefined ? iso(now) : iso(Date.parse(created_at))
    return { id: id ?? newId('ep', now), ...episode, created_at: at, updated_at: iso(now) }
  })
  const event = { type: 'memory.episodes.imported', data: { episode_ids: rows.map(({ id }) => id) } }
  await context.commit([...rows.map(reinsertEpisode), queueIndex(context)], [event])
}
