import { ownerOf } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { type EventInput, event } from '../../events/event.ts'
import { whileSubscribed } from '../../events/subscribe.ts'
import { conflict, Fault, invalid, notFound } from '../../fault.ts'
import { newId } from '../../id.ts'
import type { ActOptions, Browser } from '../../ports/browser.ts'
import type { TabUser } from '../../tabs/holder.ts'
import type { Action, ActionName } from '../../tabs/schema.ts'
import { iso, minute, second } from '../../time.ts'
import { newUnit } from '../../work/begin.ts'
import { cancelWork } from '../../work/cancel.ts'
import type { WorkEnding, WorkKind, WorkOutcome } from '../../work/kind.ts'
import type { Work } from '../../work/schema.ts'
import { listWork } from '../../work/select.ts'
import { holderOf } from '../holder.ts'
import { browserLive } from '../state.ts'
import { refusalOf, withBrowser } from '../use.ts'
import { requireRecording } from './record.ts'
import type { RecordedStep, Replay, ReplayInput, ReplayStep, ScreenRecording } from './schema.ts'
import {
  newScreenRecording,
  requireScreenRecording,
  startScreenRecording,
  stopScreenRecording,
} from './screen-recording.ts'
import { filledAddress, filledIn, opensStart, variablesOf } from './steps.ts'
import {
  findRecording,
  findReplay,
  insertReplay,
  insertScreenRecording,
  replayLane,
  stepsOf,
  updateReplay,
} from './store.ts'

export interface ReplayOptions extends ReplayInput {
  /** The screen recording to make of the replay. */
  video?: ScreenRecording
  format?: 'webm' | 'mp4'
}

/** Starts the replay of a recording, without a model. It continues if the caller disconnects. */
export async function startReplay(context: Context, id: string, options: ReplayOptions): Promise<Replay> {
  const { speed, variables, stop_on_error, video, format } = options
  const { status, start_url } = await requireRecording(context, id)
  if (status === 'recording') throw conflict('This recording is running; stop it first')
  if (browserLive(context).recording) throw conflict('A recording is running; stop it first')
  const steps = await stepsOf(context, id)
  const missing = variablesOf(steps, start_url).filter((name) => !Object.hasOwn(variables, name))
  if (missing.length > 0)
    throw invalid(
      missing.map((name) => ({
        path: `variables.${name}`,
        message: `the recording needs the variable ${name}`,
      })),
    )
  const now = context.clock.now()
  const replay: Replay = {
    replay_id: newId('replay', now),
    recording_id: id,
    status: 'queued',
    speed,
    stop_on_error,
    steps: steps.map(({ action }, index) => ({
      index,
      action: action.action,
      status: 'pending',
      locator_used: null,
      duration_ms: null,
      error: null,
    })),
    error: null,
    created_at: iso(now),
    finished_at: null,
  }
  // Sealed, as they may include passwords and the queue is a table.
  const sealed = await context.secrets.seal(JSON.stringify(variables), variablesPurpose)
  const payload = {
    sealed,
    user: holderOf(context),
    ...(video ? { video_id: video.recording_id, format } : {}),
  }
  const unit = newUnit(context, browserReplay, { subject: replay.replay_id, lane: replayLane, payload })
  const linked = video && { ...video, replay_id: replay.replay_id }
  const filmed = linked ? [insertScreenRecording(ownerOf(context), linked)] : []
  const statements = [insertReplay(replay), ...filmed, unit.statement]
  const answered = { answer: linked ?? replay, answer_status: 202 }
  const written = await context.commit(statements, [replayUpdated(replay)], answered)
  unit.begin(written)
  return replay
}

export async function requireReplay(host: Context, id: string): Promise<Replay> {
  const replay = await findReplay(host, id)
  if (!replay) throw notFound('The replay')
  return replay
}

export const hasEnded = ({ status }: Replay): boolean => status !== 'queued' && status !== 'running'

/** The replay once it has ended, or after `seconds`, or when the caller disconnects. */
export function awaitReplay(context: Context, id: string, seconds: number): Promise<Replay> {
  const isEnd = (type: string, { replay_id }: Record<string, unknown>) =>
    type === 'browser.replay.finished' && replay_id === id
  return whileSubscribed(context, isEnd, async (next) => {
    const replay = await requireReplay(context, id)
    if (hasEnded(replay) || seconds === 0) return replay
    await next(seconds * second, context.signal)
    return requireReplay(context, id)
  })
}

export async function cancelReplay(context: Context, id: string): Promise<Replay> {
  const replay = await requireReplay(context, id)
  if (hasEnded(replay)) throw conflict('This replay has ended')
  const units = await listWork(context, { kind: browserReplay.kind, subject: id })
  for (const unit of units) await cancelWork(context, browserReplay, unit, 'Cancelled by a person')
  return awaitReplay(context, id, 5)
}

export const variablesPurpose = 'browser replay'

/** Seconds for a whole replay, pauses included. */
const timeLimit = (60 * minute) / 1_000

/**
 * Performs the steps of a recording. An interrupted replay is not restarted, because part of it has already
 * happened.
 */
export const browserReplay: WorkKind = {
  kind: 'browser.replay',
  max_running: 1,
  timeout_seconds: timeLimit,
  after_crash: 'lose',
  run,
  ended: ending,
}

export const replayUpdated = (replay: Replay, step?: ReplayStep): EventInput =>
  event('browser.replay.updated', progressOf(replay, step))

const progressOf = (replay: Replay, step?: ReplayStep) => {
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
  return data
}

const replayFinished = (replay: Replay): EventInput[] => [
  replayUpdated(replay),
  event('browser.replay.finished', progressOf(replay)),
]

async function run(work: Work, context: Context): Promise<WorkOutcome> {
  const queued = await findReplay(context, work.subject)
  const recording = queued && (await findRecording(context, queued.recording_id))
  if (!queued || !recording) return { status: 'cancelled' }
  const steps = await stepsOf(context, recording.recording_id)
  const variables = await openVariables(work, context)
  const { replay_id, recording_id } = queued
  browserLive(context).replaying = { replay_id, recording_id }
  try {
    const replay = await withVideo(work, context, () =>
      play(context, { ...queued, status: 'running' }, steps, {
        variables,
        start_url: recording.start_url,
        user: userOf(work, context),
      }),
    )
    const ended = { ...replay, finished_at: iso(context.clock.now()) }
    const status = ended.status === 'completed' ? 'succeeded' : 'failed'
    return { status, statements: [updateReplay(ended)], events: replayFinished(ended) }
  } finally {
    browserLive(context).replaying = null
  }
}

/** Who started the replay; it uses their tab. */
const userOf = ({ payload }: Work, context: Context): TabUser =>
  (payload.user as TabUser | undefined) ?? holderOf(context)

async function openVariables({ payload }: Work, context: Context): Promise<Record<string, string>> {
  return JSON.parse(await context.secrets.open(String(payload.sealed), variablesPurpose)) as Record<string, string>
}

/** Makes a screen recording of the replay if requested. */
async function withVideo<Result>(work: Work, context: Context, play: () => Promise<Result>): Promise<Result> {
  const { video_id, format } = work.payload as { video_id?: string; format?: 'webm' | 'mp4' }
  if (!video_id) return play()
  const max_seconds = timeLimit
  await startScreenRecording(context, {
    recording_id: video_id,
    replay_id: work.subject,
    max_seconds,
    format: format ?? 'webm',
    user: userOf(work, context),
  })
  try {
    return await play()
  } finally {
    await stopScreenRecording(context)
  }
}

interface Start {
  variables: Record<string, string>
  start_url: string | null
  user: TabUser
}

async function play(context: Context, replay: Replay, steps: readonly RecordedStep[], start: Start): Promise<Replay> {
  let now = replay
  const put = async (step: ReplayStep) => {
    now = { ...now, steps: now.steps.with(step.index, step) }
    await context.commit([updateReplay(now)], [replayUpdated(now, step)])
  }
  const refusal = await opened(context, steps, start)
  if (refusal) return { ...skipRest(now), status: 'failed', error: refusal }
  const stage: Stage = {
    context,
    user: start.user,
    variables: start.variables,
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

/** Opens the page where the recording started. Returns the error if it cannot. */
async function opened(
  context: Context,
  steps: readonly RecordedStep[],
  { start_url, variables, user }: Start,
): Promise<string | null> {
  if (!start_url || !opensStart(steps)) return null
  try {
    const { signal } = context
    const url = filledAddress(start_url, variables)
    await withBrowser(context, (browser) => browser.act({ action: 'goto', url }, { signal }), user)
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

async function ending(work: Work, status: 'lost' | 'cancelled' | 'failed', context: Context): Promise<WorkEnding> {
  const replay = await findReplay(context, work.subject)
  if (!replay) return {}
  const error = status === 'lost' ? 'The daemon was stopped' : status === 'failed' ? 'It could not continue' : null
  const ended: Replay = {
    ...skipRest(replay),
    status: status === 'cancelled' ? 'cancelled' : 'failed',
    error,
    finished_at: iso(context.clock.now()),
  }
  return { statements: [updateReplay(ended)], events: replayFinished(ended) }
}

/** Milliseconds. */
const maxPause = 10 * second
/** Milliseconds for an element to appear. */
const elementLimit = 10 * second

/**
 * Milliseconds for steps that wait. A timeout is not an error, as the next step waits for its own element.
 */
const waitLimits: Partial<Record<ActionName, number>> = {
  wait_for_navigation: 2 * second,
  wait_for_network_idle: 5 * second,
}

export interface Stage {
  context: Context
  user: TabUser
  variables: Readonly<Record<string, string>>
  tabs: TabMap
  speed: number
  /** End of the previous step, in milliseconds since the start of the recording. */
  ended_ms: number
}

/** Performs one step after its recorded pause. Throws only if the replay is cancelled. */
export async function playStep(stage: Stage, step: RecordedStep, blank: ReplayStep): Promise<ReplayStep> {
  const { context } = stage
  const { clock, signal } = context
  const pause = stage.speed === 0 ? 0 : Math.min(maxPause, (step.at_ms - stage.ended_ms) / stage.speed)
  stage.ended_ms = step.at_ms + step.duration_ms
  await clock.after(pause, signal)
  const begun = clock.now()
  const ended = (result: Partial<ReplayStep>): ReplayStep => ({
    ...blank,
    duration_ms: clock.now() - begun,
    ...result,
  })
  try {
    const locator_used = await withBrowser(context, (browser) => performStep(browser, stage, step), stage.user)
    return ended({ status: 'completed', locator_used })
  } catch (thrown) {
    signal.throwIfAborted()
    if (!(thrown instanceof Fault)) throw thrown
    if (waitLimits[step.action.action] && thrown.extra.code === 'timeout') return ended({ status: 'completed' })
    return ended({ status: 'failed', error: withoutValues(thrown.message, stage.variables) })
  }
}

async function performStep(
  browser: Browser,
  stage: Stage,
  { action, element, drop }: RecordedStep,
): Promise<string | null> {
  const tab_id = await stage.tabs.tabFor(browser, action.tab_id)
  const timeout_ms = waitLimits[action.action] ?? action.timeout_ms ?? (element ? elementLimit : undefined)
  const filled = filledIn(action, stage.variables)
  const { tab_id: _, timeout_ms: __, ...rest } = filled
  const act: Action = { ...rest, ...(timeout_ms ? { timeout_ms } : {}), ...(tab_id ? { tab_id } : {}) }
  const options: ActOptions = { signal: stage.context.signal }
  if (element) options.element = element
  if (drop) options.drop = drop
  const { locator_used } = await browser.act(act, options)
  return locator_used ?? null
}

/** A message may quote what was typed. */
function withoutValues(message: string, variables: Stage['variables']): string {
  return Object.entries(variables)
    .filter(([, value]) => value.length >= 3)
    .reduce((text, [name, value]) => text.replaceAll(value, `{{${name}}}`), message)
}

/** Maps recorded tabs to current ones: the first to the active tab, others to tabs that steps opened. */
export class TabMap {
  readonly #now = new Map<string, string>()

  /** Undefined for the active tab. */
  async tabFor(browser: Browser, then: string | undefined): Promise<string | undefined> {
    if (then === undefined) return undefined
    const tabs = await browser.tabs()
    const time = this.#now.get(then)
    if (time && tabs.some(({ id }) => id === time)) return this.#activate(browser, tabs, time)
    const taken = new Set(this.#now.values())
    const free = tabs.filter(({ id }) => !taken.has(id))
    const first = this.#now.size === 0 ? free.find(({ active }) => active) : undefined
    const tab = first ?? (this.#now.size > 0 ? free.at(-1) : undefined) ?? (await browser.openTab({ activate: true }))
    this.#now.set(then, tab.id)
    return tab.id
  }

  async #activate(browser: Browser, tabs: readonly { id: string; active: boolean }[], id: string): Promise<string> {
    if (!tabs.some((tab) => tab.id === id && tab.active)) await browser.activateTab(id)
    return id
  }
}

/** Starts a replay and makes a screen recording of it. */
export async function recordReplay(
  context: Context,
  recording_id: string,
  options: ReplayInput & { format: 'webm' | 'mp4' },
): Promise<ScreenRecording> {
  if (browserLive(context).screen_recording) throw conflict('A screen recording is running; stop it first')
  const video = newScreenRecording(context, {})
  const replay = await startReplay(context, recording_id, { ...options, video })
  await awaitReplay(context, replay.replay_id, options.wait_seconds)
  return requireScreenRecording(context, video.recording_id)
}
