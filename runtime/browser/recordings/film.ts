import type { Context } from '../../context.ts'
import { commit } from '../../events/commit.ts'
import { conflict, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import { iso, second } from '../../time.ts'
import { withBrowser } from '../use.ts'
import {
  deleteVideo,
  failCutVideos,
  findVideo,
  finishVideo,
  insertVideo,
  listVideos,
} from './replay-store.ts'
import type { ScreenRecording } from './schema.ts'

/** Root of the files port. */
export const videosRoot = 'videos'

/** The film that this process makes. */
export interface LiveFilm {
  recording_id: string
  end(): Promise<ScreenRecording>
}

export interface FilmOptions {
  recording_id?: string
  replay_id?: string
  max_seconds: number
  format: 'webm' | 'mp4'
}

/** Films the active tab until `endFilm`, or until `max_seconds` have passed. One film at a time. */
export async function beginFilm(host: Host, options: FilmOptions): Promise<ScreenRecording> {
  const { browser_live } = host.process
  if (browser_live.film) throw conflict('A video is being made; stop it first')
  const video = newVideo(host, options)
  const { max_seconds, format } = options
  const cut = new AbortController()
  let ending: Promise<ScreenRecording> | null = null
  const begun = Promise.withResolvers<void>()
  const end = () => {
    cut.abort()
    // What has yet to begin cannot end before.
    ending ??= begun.promise
      .then(() => finish(host, video, format))
      .finally(() => {
        browser_live.film = null
      })
    return ending
  }
  browser_live.film = { recording_id: video.recording_id, end }
  try {
    await withBrowser(host, (browser) => browser.startVideo({ max_seconds, format }))
    const started = { type: 'browser.video.started', data: { recording_id: video.recording_id } }
    const forgotten = failCutVideos(video.recording_id, iso(host.clock.now()))
    const known = await findVideo(host, video.recording_id)
    await commit(host, [forgotten, ...(known ? [] : [insertVideo(video)])], [started])
    begun.resolve()
  } catch (thrown) {
    browser_live.film = null
    begun.promise.catch(() => undefined)
    begun.reject(thrown)
    throw thrown
  }
  const limit = AbortSignal.any([cut.signal, host.process.stopping])
  host.clock
    .after(max_seconds * second, limit)
    .then(end, () => undefined)
    .catch((cause: unknown) => host.log.write('warn', 'a video could not be finished', { cause }))
  return video
}

export const newVideo = (host: Host, { recording_id, replay_id }: Partial<FilmOptions>): ScreenRecording => ({
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

export async function endFilm(host: Host): Promise<ScreenRecording> {
  const { film } = host.process.browser_live
  if (!film) throw conflict('No video is being made')
  return film.end()
}

async function finish(host: Host, video: ScreenRecording, wanted: string): Promise<ScreenRecording> {
  const film = await host.browser.stopVideo()
  const finished_at = iso(host.clock.now())
  const ended: ScreenRecording = film?.bytes.length
    ? {
        ...video,
        status: 'completed',
        format: film.format,
        file_path: `${videosRoot}/${video.recording_id}.${film.format}`,
        size_bytes: film.bytes.length,
        duration_seconds: film.duration_seconds,
        error:
          film.format === wanted ? null : `This Chromium cannot make ${wanted}; the film is ${film.format}`,
        finished_at,
      }
    : { ...video, status: 'failed', error: 'The browser has ended, or made no video', finished_at }
  if (film && ended.file_path) await host.files.write(videosRoot, nameOf(ended), film.bytes)
  const { recording_id, status, file_path, duration_seconds } = ended
  const data = { recording_id, status, file_path, duration_seconds }
  await commit(host, [finishVideo(ended)], [{ type: 'browser.video.finished', data }])
  return ended
}

/** Below `videosRoot`. */
export const nameOf = ({ recording_id, format }: ScreenRecording): string => `${recording_id}.${format}`

/** What is told of a film that a stop of the daemon has cut is put right when somebody looks. */
async function settled<Found>(host: Host, read: () => Promise<Found>, cut: (found: Found) => boolean) {
  const found = await read()
  const { film } = host.process.browser_live
  if (!cut(found)) return found
  await commit(host, [failCutVideos(film?.recording_id ?? null, iso(host.clock.now()))], [])
  return read()
}

const runs = ({ status }: ScreenRecording): boolean => status === 'recording'

export const listFilms = (host: Host, limit: number): Promise<ScreenRecording[]> =>
  settled(
    host,
    () => listVideos(host, limit),
    (found) => found.some(runs),
  )

export async function requireVideo(host: Host, id: string): Promise<ScreenRecording> {
  const video = await settled(
    host,
    () => findVideo(host, id),
    (found) => found !== null && runs(found),
  )
  if (!video) throw notFound('The screen recording')
  return video
}

export async function removeVideo(context: Context, id: string): Promise<void> {
  const video = await requireVideo(context, id)
  if (context.process.browser_live.film?.recording_id === id)
    throw conflict('This video is being made; stop it first')
  await context.commit([deleteVideo(id)], [{ type: 'browser.video.deleted', data: { recording_id: id } }])
  if (video.format) await context.files.remove(videosRoot, nameOf(video))
}
