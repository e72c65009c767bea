import type { Context } from '../../context.ts'
import { conflict, notFound } from '../../fault.ts'
import { inert } from '../../files/content.ts'
import { attachment } from '../../files/name.ts'
import { nameOf, newVideo, requireVideo, videosRoot } from './film.ts'
import { awaitReplay, startReplay } from './replay.ts'
import type { ReplayInput, ScreenRecording } from './schema.ts'

/** Does a recording again and films it. */
export async function filmReplay(
  context: Context,
  recording_id: string,
  options: ReplayInput & { format: 'webm' | 'mp4' },
): Promise<ScreenRecording> {
  if (context.process.browser_live.film) throw conflict('A video is being made; stop it first')
  const video = newVideo(context, {})
  const replay = await startReplay(context, recording_id, { ...options, video })
  await awaitReplay(context, replay.replay_id, options.wait_seconds)
  return requireVideo(context, video.recording_id)
}

/** The file, for a player of ours or of somebody else's. */
export async function filmContent(context: Context, id: string): Promise<Response> {
  const video = await requireVideo(context, id)
  const stream = video.format && (await context.files.readStream(videosRoot, nameOf(video)))
  if (!stream) throw notFound('The video')
  const { 'accept-ranges': _, ...headers } = inert
  return new Response(stream, {
    headers: {
      ...headers,
      'content-type': `video/${video.format}`,
      'content-disposition': attachment(nameOf(video)),
      'content-length': String(video.size_bytes),
    },
  })
}
