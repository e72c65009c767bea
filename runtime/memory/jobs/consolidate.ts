import { requireAgent, requireDefaultAgent } from '../../agents/agents.ts'
import type { Context } from '../../context.ts'
import { offlineProvider } from '../../models/models.ts'
import { chooseModel } from '../../providers/access.ts'
import { readSection } from '../../settings/section.ts'
import { iso } from '../../time.ts'
import type { Reading } from '../graph/facts.ts'
import { beginBuilding, type GraphState, swapGraphs } from '../graph/generations.ts'
import { type Method, marksOf, stillRead } from '../graph/mention-store.ts'
import { hashOf } from '../graph/mentions.ts'
import { type ModelReader, readByModel } from '../graph/read-model.ts'
import { readingStatements } from '../graph/write-reading.ts'
import { memorySettings } from '../settings.ts'
import { readMentions } from './backfill.ts'
import type { Progress } from './progress.ts'
import type { OrderOf } from './schema.ts'
import { describeEpisode, episodesToRead, type FactText, factTexts } from './store.ts'

/** Episodes of one call of a model, and of one commit. */
const batchSize = 5

interface Run {
  context: Context
  progress: Progress
  state: GraphState
  /** Null where rules read. */
  model: ModelReader | null
  /** Episodes with facts to be read, newest first. */
  ids: readonly string[]
  result: ConsolidationResult
}

interface ConsolidationResult {
  method: Method
  episodes_read: number
  /** Left for the next run: what the limit of calls did not reach and what could not be read. */
  episodes_left: number
  model_calls: number
  warning?: string
}

/**
 * Reads facts out of episodes that nobody has read as they stand: by a model, five at a time, or by rules where none
 * is set up. With `wipe` into a new graph that takes the place of the old one in one commit at the end; until then,
 * and if it fails, the old one is untouched.
 */
export async function consolidate(
  context: Context,
  order: OrderOf<'consolidate'>,
  { progress, job_id }: { progress: Progress; job_id: string },
): Promise<Record<string, unknown>> {
  const { agent_id, wipe } = order
  const state = wipe ? 'building' : 'live'
  if (wipe) await progress.commit({ phase: 'preparing', done: 0, total: 0 }, beginBuilding)
  const model = await readerFor(context, agent_id, job_id)
  const ids = await episodesToRead(context, { reading: 'facts', agent_id, state, by_model: model !== null })
  const result: ConsolidationResult = {
    method: model ? 'model' : 'offline',
    episodes_read: 0,
    episodes_left: 0,
    model_calls: 0,
  }
  await readFacts({ context, progress, state, model, ids, result })
  const unread = await episodesToRead(context, { reading: 'mentions', agent_id, state })
  await readMentions(context, unread, { progress, force: false, state })
  if (wipe)
    await progress.commit({ phase: 'saving', done: 0, total: 1 }, swapGraphs(iso(context.clock.now())))
  return { ...result }
}

async function readerFor(
  context: Context,
  agent_id: string | undefined,
  job_id: string,
): Promise<ModelReader | null> {
  const agent =
    agent_id === undefined ? await requireDefaultAgent(context) : await requireAgent(context, agent_id)
  const access = await chooseModel(context, null, agent.model)
  return access.provider === offlineProvider ? null : { access, agent, job_id }
}

async function readFacts(run: Run): Promise<void> {
  const { context, progress, model, ids, result } = run
  const { consolidation } = await readSection(context, memorySettings)
  const step = (done: number) => ({ phase: 'facts', done, total: ids.length })
  await progress.commit(step(0))
  let failed = 0
  for (let at = 0; at < ids.length; at += batchSize) {
    const fresh = await changedOf(run, await factTexts(context, ids.slice(at, at + batchSize)))
    const done = Math.min(at + batchSize, ids.length)
    if (fresh.length > 0 && model && result.model_calls >= consolidation.max_calls_per_run) {
      result.episodes_left += ids.length - at
      const limit = limitReached(consolidation.max_calls_per_run, ids.length - at)
      result.warning = failed > 0 ? `${limit}. ${unusable(failed)}` : limit
      return
    }
    const read = fresh.length === 0 || (await readBatch(run, fresh, step(done)))
    if (read) result.episodes_read += fresh.length
    else {
      failed += fresh.length
      result.episodes_left += fresh.length
    }
    if (failed > 0) result.warning = unusable(failed)
  }
}

const unusable = (episodes: number): string =>
  `The model gave no usable answer about ${episodes} episodes; the next run asks again`

const limitReached = (calls: number, waiting: number): string =>
  `The limit of ${calls} model ${calls === 1 ? 'call' : 'calls'} is reached: the facts of ${waiting} episodes wait for the next runs`

/** Without those that only look changed: their texts were read by the same means already. */
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
  if (same.length > 0)
    await context.commit(same.map((text) => stillRead({ ...text, hash: hashOf(context, text) })))
  return texts.filter((text) => !same.includes(text))
}

/** False when the model's answer was of no use. */
async function readBatch(run: Run, batch: FactText[], step: { phase: string; done: number; total: number }) {
  const { context, progress, state, model, result } = run
  const readings = model ? await askModel(run, batch, model) : await readByRules(context, batch)
  if (!readings) return false
  const read = batch.map((episode) => ({ episode, reading: readings.get(episode.id) ?? nothing }))
  const statements = await readingStatements(context, read, { state, method: result.method })
  const described = read.flatMap(({ episode, reading }) => describeEpisode(episode, reading))
  await progress.commit(
    step,
    [...statements, ...described.map(({ statement }) => statement)],
    described.map(({ event }) => event),
  )
  return true
}

const nothing: Reading = { entities: [], facts: [], topics: [], summary: null }

function askModel({ context, result }: Run, batch: FactText[], model: ModelReader) {
  result.model_calls += 1
  return readByModel(context, batch, model)
}

async function readByRules(
  { reader, signal }: Context,
  batch: readonly FactText[],
): Promise<Map<string, Reading>> {
  const readings = await reader.facts(batch, signal)
  return new Map(batch.map(({ id }, at) => [id, readings[at] ?? nothing]))
}
