import { z } from 'zod'
import {
  beginFilm,
  endFilm,
  listFilms as filmsOf,
  removeVideo,
  requireVideo,
} from '../../runtime/browser/recordings/film.ts'
import { filmContent, filmReplay } from '../../runtime/browser/recordings/film-replay.ts'
import {
  ReplayInput,
  ScreenRecording,
  ScreenRecordingInput,
} from '../../runtime/browser/recordings/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'

export const film = endpoint({
  method: 'POST',
  path: '/api/browser/screen-recording',
  summary: 'Start or stop to film the active tab; it ends by itself after max_seconds',
  body: ScreenRecordingInput,
  idempotent: false,
  returns: ScreenRecording,
  async run({ body }, context) {
    return body.action === 'start' ? await beginFilm(context, body) : await endFilm(context)
  },
})

export const fromRecording = endpoint({
  method: 'POST',
  path: '/api/browser/screen-recording/from-recording/{recording_id}',
  summary: 'Film the replay of a recording; 202 when it takes longer than wait_seconds',
  body: ReplayInput.extend({ format: ScreenRecordingInput.shape.format }),
  body_optional: true,
  returns: ScreenRecording,
  async run({ params, body, reply }, context) {
    const video = await filmReplay(context, params.recording_id, body)
    return reply(video, { status: video.status === 'recording' ? 202 : 200 })
  },
})

export const listFilms = endpoint({
  method: 'GET',
  path: '/api/browser/screen-recordings',
  summary: 'List films, the newest first',
  returns: z.object({ screen_recordings: z.array(ScreenRecording) }),
  async run(_, context) {
    return { screen_recordings: await filmsOf(context, 200) }
  },
})

export const showFilm = endpoint({
  method: 'GET',
  path: '/api/browser/screen-recordings/{id}',
  summary: 'Read what is known of a film',
  returns: ScreenRecording,
  async run({ params }, context) {
    return requireVideo(context, params.id)
  },
})

export const filmFile = endpoint({
  method: 'GET',
  path: '/api/browser/screen-recordings/{id}/content',
  summary: 'The film itself, webm or mp4',
  returns: file('video/webm'),
  run: ({ params }, context) => filmContent(context, params.id),
})

export const removeFilm = endpoint({
  method: 'DELETE',
  path: '/api/browser/screen-recordings/{id}',
  summary: 'Delete a film',
  returns: Deleted,
  async run({ params }, context) {
    await removeVideo(context, params.id)
    return { deleted: true, id: params.id }
  },
})
