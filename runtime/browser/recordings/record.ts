import { ownerOf } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { commit } from '../../events/commit.ts'
import { event } from '../../events/event.ts'
import { conflict, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import { wonRace } from '../../lost-race.ts'
import { type ActedEvent, type Browser, BrowserMissing } from '../../ports/browser.ts'
import { iso, second } from '../../time.ts'
import { listWork } from '../../work/select.ts'
import { holderOf } from '../holder.ts'
import type { LiveRecording } from '../state.ts'
import { browserLive } from '../state.ts'
import { withBrowser } from '../use.ts'
import type { RecordedStep, Recording, RecordingDetail, RecordingResult } from './schema.ts'
import { keptAddress, merged, SecretNames, stepOf, variablesOf } from './steps.ts'
import {
  deleteRecording,
  findRecording,
  finishRecording,
  insertRecording,
  openRecording,
  putStep,
  renameRecording,
  replayLane,
  stepsOf,
} from './store.ts'

/** Root of the files port. */
export const recordingsRoot = 'recordings'

/** Steps per recording; later ones are ignored. */
const maxSteps = 2_000

/** Starts recording all acts on the tabs that the caller may use, regardless of who performs them. One at a time. */
export async function startRecording(context: Context, name: string): Promise<Recording> {
  const { clock } = context
  const live = browserLive(context)
  if (live.recording) throw conflict('A recording is already running')
  if ((await listWork(context, { lane: replayLane })).length > 0)
    throw conflict('A replay is running; record when it has ended')
  await withBrowser(context, async (browser) => {
    if (!(await browser.engine())) throw new BrowserMissing('No Chromium is installed on this machine')
  })
  const cut = await openRecording(context)
  if (cut) await finish(context, cut)
  const begun = clock.now()
  const browser = context.browser.as(holderOf(context))
  const { current_url } = browser.status()
  const secrets = new SecretNames()
  const recording: Recording = {
    recording_id: newId('rec', begun),
    name,
    status: 'recording',
    start_url: current_url && /^https?:/.test(current_url) ? keptAddress(current_url, secrets) : null,
    duration_seconds: 0,
    action_count: 0,
    file_path: null,
    started_at: iso(begun),
    finished_at: null,
  }
  const { recording_id, start_url } = recording
  const started = event('browser.recording.started', { recording_id, name, start_url })
  const inserted = insertRecording(ownerOf(context), recording)
  if (!(await wonRace(context.commit([inserted], [started], { answer: recording }))))
    throw conflict('A recording is already running')
  live.recording = new StepRecorder(context, { id: recording_id, begun, secrets, browser })
  return recording
}

/** Stores the acts as steps. */
class StepRecorder implements LiveRecording {
  readonly id: string
  readonly #host: Host
  readonly #begun: number
  readonly #secrets: SecretNames
  readonly #quiet: () => void
  #last: RecordedStep | undefined
  #count = 0
  #written: Promise<unknown> = Promise.resolve()

  constructor(
    host: Host,
    { id, begun, secrets, browser }: { id: string; begun: number; secrets: SecretNames; browser: Browser },
  ) {
    this.id = id
    this.#secrets = secrets
    this.#host = host
    this.#begun = begun
    this.#quiet = browser.onAct((event) => this.#hear(event))
  }

  #hear(event: ActedEvent): void {
    if (event.failure !== null || this.#count >= maxSteps) return
    const step = stepOf({ ...event, action: { ...event.action, tab_id: event.tab_id } }, this.#begun, this.#secrets)
    const whole = event.by_person ? merged(this.#last, step) : null
    if (!whole) this.#count += 1
    this.#last = whole ?? step
    const position = this.#count - 1
    const data = { recording_id: this.id, action_count: this.#count, action: step.action.action }
    const events = whole ? [] : [{ type: 'browser.recording.updated' as const, data }]
    const statements = putStep(this.id, position, this.#last)
    this.#written = this.#written
      .then(() => commit(this.#host, statements, events))
      .catch((cause: unknown) => this.#host.log.write('warn', 'cannot record a step', { cause }))
  }

  /** Resolves once every step is stored. */
  async stop(): Promise<void> {
    this.#quiet()
    await this.#written
  }
}

/** Stops the recording, or finishes one that was interrupted by a restart. */
export async function stopRecording(context: Context): Promise<RecordingResult> {
  const state = browserLive(context)
  const live = state.recording
  const id = live?.id ?? (await openRecording(context))?.recording_id
  const recording = id === undefined ? null : await findRecording(context, id)
  if (recording?.status !== 'recording') throw conflict('No recording of yours is running')
  state.recording = null
  await live?.stop()
  return finish(context, recording, live ? context.clock.now() : undefined)
}

async function finish(context: Context, recording: Recording, ended?: number): Promise<RecordingResult> {
  const { recording_id, name } = recording
  const steps = await stepsOf(context, recording_id)
  const last = steps.at(-1)
  const recorded = last ? (last.at_ms + last.duration_ms) / second : 0
  const duration_seconds = ended === undefined ? recorded : (ended - Date.parse(recording.started_at)) / second
  const file_path = `${recordingsRoot}/${recording_id}.json`
  const action_count = steps.length
  const finished: Recording = {
    ...recording,
    status: 'finished',
    duration_seconds,
    action_count,
    file_path,
    finished_at: iso(context.clock.now()),
  }
  const variables = await writeDocument(context, finished, steps)
  const result = { recording_id, name, duration_seconds, action_count, file_path, variables }
  const finishedEvent = event('browser.recording.finished', result)
  await context.commit([finishRecording(finished)], [finishedEvent], { answer: result })
  return result
}

/** Writes the recording as a JSON file. */
async function writeDocument(
  { files }: Pick<Host, 'files'>,
  recording: Recording,
  steps: RecordingDetail['steps'],
): Promise<RecordingDetail['variables']> {
  const variables = variablesOf(steps, recording.start_url)
  const document = { format: 'hearthd-recording', version: 1, ...recording, variables, steps }
  const bytes = new TextEncoder().encode(`${JSON.stringify(document, null, 2)}\n`)
  await files.write(recordingsRoot, `${recording.recording_id}.json`, bytes)
  return variables
}

export async function requireRecording(host: Context, id: string): Promise<Recording> {
  const recording = await findRecording(host, id)
  if (!recording) throw notFound('The recording')
  return recording
}

export async function showRecording(host: Context, id: string): Promise<RecordingDetail> {
  const recording = await requireRecording(host, id)
  const steps = await stepsOf(host, id)
  return { ...recording, variables: variablesOf(steps, recording.start_url), steps }
}

export async function changeName(context: Context, id: string, name: string): Promise<Recording> {
  const recording = await requireRecording(context, id)
  await context.commit(
    [renameRecording(id, name)],
    [{ type: 'browser.recording.updated', data: { recording_id: id, name } }],
  )
  const renamed = { ...recording, name }
  if (renamed.status === 'finished') await writeDocument(context, renamed, await stepsOf(context, id))
  return renamed
}

export async function removeRecording(context: Context, id: string): Promise<void> {
  const { status } = await requireRecording(context, id)
  if (status === 'recording') throw conflict('This recording is running; stop it first')
  if (browserLive(context).replaying?.recording_id === id) throw conflict('This recording is being replayed')
  const deleted = event('browser.recording.deleted', { recording_id: id })
  await context.commit([deleteRecording(id)], [deleted])
  await context.files.remove(recordingsRoot, `${id}.json`)
}
