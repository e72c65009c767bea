import { ownerOf } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { event } from '../../events/event.ts'
import { badRequest } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { checkBody } from '../../http/validate.ts'
import { newId } from '../../id.ts'
import { Pace, yieldBetween } from '../../pace.ts'
import { streamOf } from '../../streams.ts'
import { errorMessage } from '../../thrown.ts'
import { iso } from '../../time.ts'
import { ImportedEpisode, type ImportResult, type WholeEpisode } from '../schema.ts'
import { existingIds, reinsertEpisode } from '../store.ts'
import { queueIndex } from '../work-store.ts'
import { itemsOf, memberBefore } from './json-items.ts'
import { type ExportList, exportLists, exportRows } from './store.ts'

/** Version of the file format. An import refuses later versions. */
const formatVersion = 1

const rowsPerPage = 500

/**
 * All of memory as one JSON document: episodes with their recall counts, entities and facts, one object per line. It is
 * streamed page by page, so it is never in memory as a whole.
 */
export const exportMemory = (host: Host): ReadableStream<Uint8Array> =>
  streamOf(exportParts(host)).pipeThrough(new TextEncoderStream())

async function* exportParts(host: Host): AsyncGenerator<string, void, undefined> {
  const head = { format: 'hearthd-memory', version: formatVersion, exported_at: iso(host.clock.now()) }
  yield JSON.stringify(head).slice(0, -1)
  for (const list of exportLists) {
    yield `,\n"${list}":[`
    yield* exportList(host, list)
    yield '\n]'
  }
  yield '}\n'
}

async function* exportList(host: Host, list: ExportList): AsyncGenerator<string, void, undefined> {
  for (let after = 0, first = true; ; ) {
    const rows = await exportRows(host, list, { after, limit: rowsPerPage })
    const last = rows.at(-1)
    if (!last) return
    yield `${first ? '\n' : ',\n'}${rows.map(({ body }) => host.process.redaction.ownText(body)).join(',\n')}`
    after = last.rowid
    first = false
    await host.clock.after(0)
  }
}

/** Maximum size of an import file in bytes. */
export const importLimit = 100 * 1024 * 1024

/** Episodes per commit. */
const batchRange = { min: 5, max: 200 }
const maxProblems = 100

/**
 * Imports the episodes of an export. Existing ids are skipped and invalid items are reported. Entities and facts are
 * extracted from the episodes again.
 */
export async function importMemory(context: Context, text: string, dryRun: boolean): Promise<ImportResult> {
  const invalid = await checkFile(context, text)
  const result: ImportResult = { imported: 0, skipped: 0, invalid, dry_run: dryRun }
  const seen = new Set<string>()
  const pace = new Pace(batchRange, 10)
  for (const batch of batchesOf(text, pace)) {
    context.signal.throwIfAborted()
    const existing = await existingIds(
      context,
      batch.flatMap(({ id }) => id ?? []),
    )
    const fresh = batch.filter(({ id }) => id === undefined || !(existing.has(id) || seen.has(id)))
    for (const { id } of batch) if (id !== undefined) seen.add(id)
    result.imported += fresh.length
    result.skipped += batch.length - fresh.length
    if (!dryRun && fresh.length > 0) await pace.time(context.clock.now, () => store(context, fresh))
    await context.clock.after(0)
  }
  // This durable commit also covers existing rows that an interrupted import stored without one.
  if (!dryRun && result.imported + result.skipped > 0) await context.commit([queueIndex(context)])
  context.process.wake()
  return result
}

/** Validates the whole file before anything is stored. Returns the invalid items; throws if it is not an export. */
async function checkFile({ clock }: Context, text: string): Promise<ImportResult['invalid']> {
  const invalid: ImportResult['invalid'] = []
  const pause = yieldBetween(clock)
  let index = 0
  try {
    checkVersion(memberBefore(text, 'episodes', 'version'))
    for (const item of itemsOf(text, 'episodes')) {
      const { problem } = readItem(item)
      if (problem !== undefined && invalid.length < maxProblems) invalid.push({ index, message: problem })
      index += 1
      await pause()
    }
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    throw badRequest(`The file is not a memory export: ${thrown.message}`)
  }
  return invalid
}

/** In a later version the same fields may have another meaning. */
function checkVersion(version: unknown): void {
  if (typeof version === 'number' && version > formatVersion)
    throw badRequest(`The file has version ${version}, but this release reads version ${formatVersion}: update hearthd`)
}

/** An episode of the file, or why it is not one. */
function readItem(item: unknown): { episode?: ImportedEpisode; problem?: string } {
  try {
    return { episode: checkBody(ImportedEpisode, item) as ImportedEpisode }
  } catch (thrown) {
    return { problem: errorMessage(thrown) }
  }
}

/** The valid episodes in batches of the current pace. */
function* batchesOf(text: string, pace: Pace): Generator<ImportedEpisode[]> {
  let batch: ImportedEpisode[] = []
  for (const item of itemsOf(text, 'episodes')) {
    const { episode } = readItem(item)
    if (!episode) continue
    batch.push(episode)
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
  const imported = event('memory.episodes.imported', { episode_ids: rows.map(({ id }) => id) })
  // The last commit of the import makes all of it durable.
  await context.commit(
    [...rows.map((row) => reinsertEpisode(ownerOf(context), row)), queueIndex(context)],
    [imported],
    { durable: false },
  )
}

/** Bytes decoded between two turns of the event loop: about a millisecond. */
const decodedPerTurn = 1024 * 1024

/** Decodes a large UTF-8 file and yields in between. Invalid bytes become U+FFFD. */
export async function decodeText({ clock }: Pick<Context, 'clock'>, bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += decodedPerTurn) {
    parts.push(decoder.decode(bytes.subarray(at, at + decodedPerTurn), { stream: true }))
    await clock.after(0)
  }
  parts.push(decoder.decode())
  return parts.join('')
}
