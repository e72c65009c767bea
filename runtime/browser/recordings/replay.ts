import type { Context } from '../../context.ts'
import { eventsTopic } from '../../events/event.ts'
import { conflict, invalid, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import { iso, second } from '../../time.ts'
import { newUnit } from '../../work/begin.ts'
import { cancelWork } from '../../work/cancel.ts'
import { listWork } from '../../work/select.ts'
import { requireRecording } from './record.ts'
import { findReplay, insertReplay, insertVideo } from './replay-store.ts'
import { browserReplay, lane, replayUpdated, variablesPurpose } from './replay-work.ts'
import type { Replay, ReplayInput, ScreenRecording } from './schema.ts'
import { variablesOf } from './steps.ts'
import { stepsOf } from './store.ts'

export interface ReplayOptions extends ReplayInput {
  /** The video that is made of it. */
  video?: ScreenRecording
  format?: 'webm' | 'mp4'
}

/** Does a recording again, without any model. It goes on when the caller has left. */
export async function startReplay(context: Context, id: string, options: ReplayOptions): Promise<Replay> {
  const { speed, variables, stop_on_error, video, format } = options
  const { status, start_url } = await requireRecording(context, id)
  if (status === 'recording') throw conflict('This recording runs; stop it first')
  if (context.process.browser_live.recording) throw conflict('A recording runs; stop it first')
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
  // Passwords are among them, and the queue is a table.
  const sealed = await context.secrets.seal(JSON.stringify(variables), variablesPurpose)
  const payload = { sealed, ...(video ? { video_id: video.recording_id, format } : {}) }
  const unit = newUnit(context, browserReplay, { subject: replay.replay_id, lane, payload })
  const filmed = video ? [insertVideo({ ...video, replay_id: replay.replay_id })] : []
  const statements = [insertReplay(replay), ...filmed, unit.statement]
  const written = await context.commit(statements, [replayUpdated(replay)])
  unit.begin(written)
  return replay
}

export async function requireReplay(host: Host, id: string): Promise<Replay> {
  const replay = await findReplay(host, id)
  if (!replay) throw notFound('The replay')
  return replay
}

export const hasEnded = ({ status }: Replay): boolean => status !== 'queued' && status !== 'running'

/** The replay at its end, or as it is when `seconds` have passed or the caller has left. */
export async function awaitReplay(context: Context, id: string, seconds: number): Promise<Replay> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const heard = context.bus.subscribe(eventsTopic, ({ type, data }) => {
    if (type === 'browser.replay.finished' && (data as { replay_id?: string }).replay_id === id) resolve()
  })
  const waiting = new AbortController()
  try {
    const replay = await requireReplay(context, id)
    if (hasEnded(replay) || seconds === 0) return replay
    const over = AbortSignal.any([waiting.signal, context.signal])
    await Promise.race([promise, context.clock.after(seconds * second, over).catch(() => undefined)])
    return await requireReplay(context, id)
  } finally {
    waiting.abort()
    heard.close()
  }
}

export async function cancelReplay(context: Context, id: string): Promise<Replay> {
  const replay = await requireReplay(context, id)
  if (hasEnded(replay)) throw conflict('This replay has ended')
  const units = await listWork(context, { kind: browserReplay.kind, subject: id })
  for (const unit of units) await cancelWork(context, browserReplay, unit, 'Cancelled by a person')
  return awaitReplay(context, id, 5)
}
