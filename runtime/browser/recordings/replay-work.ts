import type { Context } from '../../context.ts'
import type { EventInput } from '../../events/event.ts'
import { Fault } from '../../fault.ts'
import { iso, minute } from '../../time.ts'
import type { WorkEnding, WorkKind, WorkOutcome } from '../../work/kind.ts'
import type { Work } from '../../work/schema.ts'
import { refusalOf, withBrowser } from '../use.ts'
import { beginFilm, endFilm } from './film.ts'
import { playStep, type Stage, TabMap } from './play.ts'
import { findReplay, updateReplay } from './replay-store.ts'
import type { RecordedStep, Replay, ReplayStep } from './schema.ts'
import { filledAddress, opensStart } from './steps.ts'
import { findRecording, stepsOf } from './store.ts'

/** One after the other: there is one browser. */
export const lane = 'browser.replay'

export const variablesPurpose = 'browser replay'

/** Seconds for a whole replay, pauses included. */
const timeLimit = (60 * minute) / 1_000

/** Does the steps of a recording again. One that was cut is not done again from its start: half of it has happened. */
export const browserReplay: WorkKind = {
  kind: 'browser.replay',
  max_running: 1,
  timeout_seconds: timeLimit,
  after_crash: 'lose',
  run,
  ended: ending,
}

export const replayUpdated = (replay: Replay, step?: ReplayStep): EventInput => {
  const { replay_id, recording_id, status } = replay
  const done = replay.steps.filter((one) => one.status === 'completed').length
  const data = {
    replay_id,
    recording_id,
    status,
    done,
    total: replay.steps.length,
    ...(step ? { step } : {}),
  }
  return { type: 'browser.replay.updated', data }
}

const replayFinished = (replay: Replay): EventInput[] => [
  replayUpdated(replay),
  { ...replayUpdated(replay), type: 'browser.replay.finished' },
]

async function run(work: Work, context: Context): Promise<WorkOutcome> {
  const queued = await findReplay(context, work.subject)
  const recording = queued && (await findRecording(context, queued.recording_id))
  if (!queued || !recording) return { status: 'cancelled' }
  const steps = await stepsOf(context, recording.recording_id)
  const variables = await openVariables(work, context)
  const { replay_id, recording_id } = queued
  context.process.browser_live.replaying = { replay_id, recording_id }
  try {
    const replay = await withVideo(work, context, () =>
      play(context, { ...queued, status: 'running' }, steps, {
        variables,
        start_url: recording.start_url,
      }),
    )
    const ended = { ...replay, finished_at: iso(context.clock.now()) }
    const status = ended.status === 'completed' ? 'succeeded' : 'failed'
    return { status, statements: [updateReplay(ended)], events: replayFinished(ended) }
  } finally {
    context.process.browser_live.replaying = null
  }
}

async function openVariables({ payload }: Work, context: Context): Promise<Record<string, string>> {
  return JSON.parse(await context.secrets.open(String(payload.sealed), variablesPurpose)) as Record<
    string,
    string
  >
}

/** Films the replay where that was asked for; a film that fails does not stop it. */
async function withVideo<Result>(work: Work, context: Context, play: () => Promise<Result>): Promise<Result> {
  const { video_id, format } = work.payload as { video_id?: string; format?: 'webm' | 'mp4' }
  if (!video_id) return play()
  const max_seconds = timeLimit
  await beginFilm(context, {
    recording_id: video_id,
    replay_id: work.subject,
    max_seconds,
    format: format ?? 'webm',
  })
  try {
    return await play()
  } finally {
    await endFilm(context)
  }
}

async function play(
  context: Context,
  replay: Replay,
  steps: readonly RecordedStep[],
  given: { variables: Record<string, string>; start_url: string | null },
): Promise<Replay> {
  let now = replay
  const put = async (step: ReplayStep) => {
    now = { ...now, steps: now.steps.with(step.index, step) }
    await context.commit([updateReplay(now)], [replayUpdated(now, step)])
  }
  const refusal = await opened(context, steps, given)
  if (refusal) return { ...skipRest(now), status: 'failed', error: refusal }
  const stage: Stage = {
    context,
    variables: given.variables,
    tabs: new TabMap(),
    speed: replay.speed,
    ended_ms: 0,
  }
  for (const [index, step] of steps.entries()) {
    const blank = now.steps[index]
    if (!blank) continue
    await put({ ...blank, status: 'running' })
    const done = await playStep(stage, step, blank)
    await put(done)
    if (done.status === 'failed' && replay.stop_on_error)
      return { ...skipRest(now), status: 'failed', error: done.error }
  }
  const failed = now.steps.find(({ status }) => status === 'failed')
  return { ...now, status: failed ? 'failed' : 'completed', error: failed?.error ?? null }
}

/** Opens the page on which the recording began. */
async function opened(
  context: Context,
  steps: readonly RecordedStep[],
  { start_url, variables }: { start_url: string | null; variables: Record<string, string> },
): Promise<string | null> {
  if (!start_url || !opensStart(steps)) return null
  try {
    const { signal } = context
    const url = filledAddress(start_url, variables)
    await withBrowser(context, (browser) => browser.act({ action: 'goto', url }, { signal }))
    return null
  } catch (thrown) {
    context.signal.throwIfAborted()
    const refusal = refusalOf(thrown)
    if (refusal instanceof Fault) return refusal.message
    throw refusal
  }
}

const skipRest = (replay: Replay): Replay => ({
  ...replay,
  steps: replay.steps.map((step) =>
    step.status === 'pending' || step.status === 'running' ? { ...step, status: 'skipped' } : step,
  ),
})

async function ending(
  work: Work,
  status: 'lost' | 'cancelled' | 'failed',
  context: Context,
): Promise<WorkEnding> {
  const replay = await findReplay(context, work.subject)
  if (!replay) return {}
  const error =
    status === 'lost' ? 'The daemon was stopped' : status === 'failed' ? 'It could not go on' : null
  const ended: Replay = {
    ...skipRest(replay),
    status: status === 'cancelled' ? 'cancelled' : 'failed',
    error,
    finished_at: iso(context.clock.now()),
  }
  return { statements: [updateReplay(ended)], events: replayFinished(ended) }
}
