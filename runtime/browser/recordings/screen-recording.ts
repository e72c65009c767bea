import { ownerOf } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { commit } from '../../events/commit.ts'
import { event } from '../../events/event.ts'
import { conflict, notFound } from '../../fault.ts'
import { download } from '../../files/index.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Retained } from '../../retention.ts'
import type { TabUser } from '../../tabs/holder.ts'
import { iso, second } from '../../time.ts'
import { holderOf } from '../holder.ts'
import { browserLive } from '../state.ts'
import { withBrowser } from '../use.ts'
import type { ScreenRecording } from './schema.ts'
import {
  deleteScreenRecording,
  endedVideosSize,
  failInterruptedRecordings,
  findScreenRecording,
  finishScreenRecording,
  insertScreenRecording,
  listScreenRecordingRows,
  videosEndedBefore,
} from './store.ts'

/** Root of the files port. */
export const videosRoot = 'videos'

export interface ScreenRecordingOptions {
  recording_id?: string
  replay_id?: string
  max_seconds: number
  format: 'webm' | 'mp4'
  /** Whose tab is recorded. Default: the caller's. */
  user?: TabUser
}

/**
 * Records the tab that is shown to a user until `stopScreenRecording` is called or `max_seconds` have passed. One recording at
 * a time.
 */
export async function startScreenRecording(host: Context, options: ScreenRecordingOptions): Promise<ScreenRecording> {
  const live = browserLive(host)
  if (live.screen_recording) throw conflict('A screen recording is running; stop it first')
  const video = newScreenRecording(host, options)
  const { max_seconds, format, user = holderOf(host) } = options
  const cut = new AbortController()
  let ending: Promise<ScreenRecording> | null = null
  const begun = Promise.withResolvers<void>()
  const end = () => {
    cut.abort()
    // Not before the start has completed.
    ending ??= begun.promise
      .then(() => finish(host, video, format))
      .finally(() => {
        live.screen_recording = null
      })
    return ending
  }
  live.screen_recording = { recording_id: video.recording_id, owner_id: ownerOf(host), end }
  try {
    await withBrowser(host, (browser) => browser.startVideo({ max_seconds, format }), user)
    const started = event('browser.video.started', { recording_id: video.recording_id })
    const forgotten = failInterruptedRecordings(video.recording_id, iso(host.clock.now()))
    const recording = await findScreenRecording(host, video.recording_id)
    await commit(host, [forgotten, ...(recording ? [] : [insertScreenRecording(ownerOf(host), video)])], [started])
    begun.resolve()
  } catch (thrown) {
    live.screen_recording = null
    begun.promise.catch(() => undefined)
    begun.reject(thrown)
    throw thrown
  }
  const limit = AbortSignal.any([cut.signal, host.process.stopping])
  host.clock
    .after(max_seconds * second, limit)
    .then(end, () => undefined)
    .catch((cause: unknown) => host.log.write('warn', 'cannot finish a screen recording', { cause }))
  return video
}

export const newScreenRecording = (
  host: Host,
  { recording_id, replay_id }: Partial<ScreenRecordingOptions>,
): ScreenRecording => ({
  recording_id: recording_id ?? newId('vid', host.clock.now()),
  status: 'recording',
  file_path: null,
  duration_seconds: null,
  format: null,
  size_bytes: null,
  replay_id: replay_id ?? null,
  error: null,
  created_at: iso(host.clock.now()),
  finished_at: null,
})

export async function stopScreenRecording(host: Context): Promise<ScreenRecording> {
  const { screen_recording } = browserLive(host)
  if (screen_recording?.owner_id !== ownerOf(host)) throw conflict('No screen recording of yours is running')
  return screen_recording.end()
}

async function finish(host: Context, video: ScreenRecording, id: string): Promise<ScreenRecording> {
  const made = await host.browser.stopVideo()
  const finished_at = iso(host.clock.now())
  const ended: ScreenRecording = made?.bytes.length
    ? {
        ...video,
        status: 'completed',
        format: made.format,
        file_path: `${videosRoot}/${video.recording_id}.${made.format}`,
        size_bytes: made.bytes.length,
        duration_seconds: made.duration_seconds,
        error: made.format === id ? null : `This Chromium cannot record ${id}; the recording is ${made.format}`,
        finished_at,
      }
    : { ...video, status: 'failed', error: 'The browser exited, or recorded nothing', finished_at }
  if (made && ended.file_path) await host.files.write(videosRoot, nameOf(ended), made.bytes)
  const { recording_id, status, file_path, duration_seconds } = ended
  const data = { recording_id, status, file_path, duration_seconds }
  await commit(host, [finishScreenRecording(ended)], [{ type: 'browser.video.finished', data }])
  return ended
}

/** Path below `videosRoot`. */
export const nameOf = ({ recording_id, format }: ScreenRecording): string => `${recording_id}.${format}`

/** Reads; if the result includes a recording that a restart interrupted, fails it and reads again. */
async function settled<Found>(host: Context, read: () => Promise<Found>, cut: (value: Found) => boolean) {
  const value = await read()
  const { screen_recording } = browserLive(host)
  if (!cut(value)) return value
  await commit(host, [failInterruptedRecordings(screen_recording?.recording_id ?? null, iso(host.clock.now()))], [])
  return read()
}

const runs = ({ status }: ScreenRecording): boolean => status === 'recording'

export const listScreenRecordings = (host: Context, limit: number): Promise<ScreenRecording[]> =>
  settled(
    host,
    () => listScreenRecordingRows(host, limit),
    (recordings) => recordings.some(runs),
  )

export async function requireScreenRecording(host: Context, id: string): Promise<ScreenRecording> {
  const video = await settled(
    host,
    () => findScreenRecording(host, id),
    (recording) => recording !== null && runs(recording),
  )
  if (!video) throw notFound('The screen recording')
  return video
}

export async function removeScreenRecording(context: Context, id: string): Promise<void> {
  const video = await requireScreenRecording(context, id)
  if (browserLive(context).screen_recording?.recording_id === id)
    throw conflict('This screen recording is running; stop it first')
  await context.commit([deleteScreenRecording(id)], [{ type: 'browser.video.deleted', data: { recording_id: id } }])
  if (video.format) await context.files.remove(videosRoot, nameOf(video))
}

/** The video file. */
export async function screenRecordingResponse(context: Context, id: string): Promise<Response> {
  const video = await requireScreenRecording(context, id)
  const stream = video.format && (await context.files.readStream(videosRoot, nameOf(video)))
  if (!stream) throw notFound('The video')
  return download(stream, { name: nameOf(video), type: `video/${video.format}`, size_bytes: video.size_bytes })
}

/** Ended screen recordings with their video files. */
export const retainedVideos: Retained = {
  size: endedVideosSize,
  async prune(host, before, limit) {
    const videos = await videosEndedBefore(host, before, limit)
    for (const video of videos) if (video.format) await host.files.remove(videosRoot, nameOf(video))
    await host.sql.write(videos.map(({ recording_id }) => deleteScreenRecording(recording_id)))
    return videos.length
  },
}
