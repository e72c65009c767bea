import { requireAgent, requireDefaultAgent } from '../../agents/index.ts'
import { actingFor } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { offlineProvider } from '../../models/models.ts'
import { Pace } from '../../pace.ts'
import type { Reading } from '../../ports/reader.ts'
import { chooseModel } from '../../providers/index.ts'
import { readSection } from '../../sections/section.ts'
import { iso } from '../../time.ts'
import { readingStatements } from '../graph/facts.ts'
import { beginBuilding, type GraphState, swapGraphs } from '../graph/generation-store.ts'
import { hashOf, mentionStatements } from '../graph/mentions.ts'
import { type ModelReader, readByModel } from '../graph/model-reader.ts'
import { episodesToRead, type FactText, type Method, marksOf, readableEpisodes, touchMark } from '../graph/store.ts'
import type { OrderOf } from '../schema.ts'
import { memorySettings } from '../settings.ts'
import { describeEpisode, ownersFor } from '../store.ts'
import type { Progress } from './jobs.ts'

/** Episodes per model call and per commit. */
const batchSize = 5

interface Run {
  context: Context
  progress: Progress
  state: GraphState
  /** Null: facts are extracted by rules. */
  model: ModelReader | null
  /** Episodes to read, newest first. */
  ids: readonly string[]
  result: ConsolidationResult
}

interface ConsolidationResult {
  method: Method
  episodes_read: number
  /** Episodes beyond the limit of calls, and those without a usable answer. The next run reads them. */
  episodes_left: number
  model_calls: number
  warning?: string
}

/**
 * Extracts facts from episodes that are new or changed: by a model, five at a time, or by rules if none is configured.
 * With `wipe` it builds a new graph that replaces the old one in one commit; if it fails, the old graph is unchanged.
 */
export async function consolidate(
  context: Context,
  order: OrderOf<'consolidate'>,
  { progress, job_id }: { progress: Progress; job_id: string },
): Promise<Record<string, unknown>> {
  const { agent_id, wipe } = order
  const state = wipe ? 'building' : 'live'
  if (wipe) await progress.commit({ phase: 'preparing', done: 0, total: 0 }, beginBuilding)
  const model = await modelFor(context, agent_id, job_id)
  const result: ConsolidationResult = {
    method: model ? 'model' : 'offline',
    episodes_read: 0,
    episodes_left: 0,
    model_calls: 0,
  }
  // A batch, and thus a prompt, has episodes of one owner only.
  for (const owner of await ownersFor(context)) {
    const own = actingFor(context, owner)
    const ids = await episodesToRead(own, { reading: 'facts', agent_id, state, by_model: model !== null })
    await readFacts({ context: own, progress, state, model, ids, result })
  }
  const unread = await episodesToRead(context, { reading: 'mentions', agent_id, state })
  await readMentions(context, unread, { progress, force: false, state })
  if (wipe) await progress.commit({ phase: 'saving', done: 0, total: 1 }, swapGraphs(iso(context.clock.now())))
  return { ...result }
}

async function modelFor(context: Context, agent_id: string | undefined, job_id: string): Promise<ModelReader | null> {
  const agent = agent_id === undefined ? await requireDefaultAgent(context) : await requireAgent(context, agent_id)
  const access = await chooseModel(context, null, agent.model)
  return access.provider === offlineProvider ? null : { access, agent, job_id, max_wait: 0 }
}

async function readFacts(run: Run): Promise<void> {
  const { context, progress, model, ids, result } = run
  const { consolidation } = await readSection(context, memorySettings)
  const step = (done: number) => ({ phase: 'facts', done, total: ids.length })
  await progress.commit(step(0))
  let failed = 0
  for (let at = 0; at < ids.length; at += batchSize) {
    const changed = await changedOf(run, await readableEpisodes(context, ids.slice(at, at + batchSize)))
    const done = Math.min(at + batchSize, ids.length)
    if (changed.length > 0 && model && result.model_calls >= consolidation.max_calls_per_run) {
      result.episodes_left += ids.length - at
      const limit = limitReached(consolidation.max_calls_per_run, ids.length - at)
      result.warning = failed > 0 ? `${limit}. ${unusable(failed)}` : limit
      return
    }
    const read = changed.length === 0 || (await readBatch(run, changed, step(done)))
    if (read) result.episodes_read += changed.length
    else {
      failed += changed.length
      result.episodes_left += changed.length
    }
    if (failed > 0) result.warning = unusable(failed)
  }
}

const unusable = (episodes: number): string =>
  `The model gave no usable answer about ${episodes} episodes; the next run tries again`

const limitReached = (calls: number, waiting: number): string =>
  `The limit of ${calls} model ${calls === 1 ? 'call' : 'calls'} was reached; ${waiting} episodes are left for the next runs`

/** Without the episodes whose text was already read by the same method. */
async function changedOf({ context, state, model }: Run, texts: FactText[]): Promise<FactText[]> {
  if (state === 'building') return texts
  const marks = await marksOf(
    context,
    'facts',
    texts.map(({ id }) => id),
  )
  const same = texts.filter((text) => {
    const mark = marks.get(text.id)
    return mark?.hash === hashOf(context, text) && (model === null || mark.method === 'model')
  })
  if (same.length > 0) await context.commit(same.map((text) => touchMark({ ...text, hash: hashOf(context, text) })))
  return texts.filter((text) => !same.includes(text))
}

/** Returns false if the model's answer is unusable. */
async function readBatch(run: Run, batch: FactText[], step: { phase: string; done: number; total: number }) {
  const { context, progress, state, model, result } = run
  if (model) result.model_calls += 1
  // A run that has read nothing can begin again later; the limit of calls is that of one run.
  const max_wait = state === 'live' && result.model_calls === 1 ? Number.POSITIVE_INFINITY : 0
  const readings = model
    ? await readByModel(context, batch, { ...model, max_wait })
    : await readByReader(context, batch)
  if (!readings) return false
  const read = batch.map((episode) => ({ episode, reading: readings.get(episode.id) ?? emptyReading }))
  const statements = await readingStatements(context, read, { state, method: result.method })
  const described = read.filter(({ episode, reading }) => addsDescription(episode, reading))
  await progress.commit(
    step,
    [
      ...statements,
      ...described.map(({ episode, reading }) => describeEpisode(episode.id, reading.summary, reading.topics)),
    ],
    described.map(({ episode: { id: episode_id, agent_id, source } }) => ({
      type: 'memory.episode.updated',
      data: { episode_id, agent_id, source },
    })),
  )
  return true
}

const emptyReading: Reading = { entities: [], facts: [], topics: [], summary: null }

/** Whether the reading fills in a missing summary or missing topics. */
const addsDescription = (episode: FactText, { summary, topics }: Reading): boolean =>
  (episode.summary === null && summary !== null) || (episode.topics === '[]' && topics.length > 0)

async function readByReader({ reader, signal }: Context, batch: readonly FactText[]): Promise<Map<string, Reading>> {
  const readings = await reader.facts(batch, signal)
  return new Map(batch.map(({ id }, at) => [id, readings[at] ?? emptyReading]))
}

/** Extracts entities by rules from episodes that were not read yet. */
export async function backfillEntities(context: Context, order: OrderOf<'backfill'>, progress: Progress) {
  const { agent_id, force, limit } = order
  const ids = await episodesToRead(context, { reading: 'mentions', agent_id, all: force, limit })
  return { episodes_read: await readMentions(context, ids, { progress, force }) }
}

async function readMentions(
  context: Context,
  ids: readonly string[],
  { progress, ...options }: { progress: Progress; force: boolean; state?: GraphState },
): Promise<number> {
  const step = (done: number) => ({ phase: 'entities', done, total: ids.length })
  await progress.commit(step(0))
  const pace = new Pace({ min: 5, max: 64 }, 16)
  for (let at = 0; at < ids.length; ) {
    const part = ids.slice(at, at + pace.size)
    at += part.length
    const statements = await mentionStatements(
      context,
      part.map((id) => ({ id })),
      options,
    )
    await pace.time(context.clock.now, () => progress.commit(step(at), statements))
  }
  return ids.length
}
