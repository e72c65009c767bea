import { z } from 'zod'
import { recordReplay } from '../../runtime/browser/recordings/replay.ts'
import { ReplayInput, ScreenRecording, ScreenRecordingInput } from '../../runtime/browser/recordings/schema.ts'
import {
  listScreenRecordings,
  removeScreenRecording,
  requireScreenRecording,
  screenRecordingResponse,
  startScreenRecording,
  stopScreenRecording,
} from '../../runtime/browser/recordings/screen-recording.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { removal } from '../../runtime/http/removal.ts'
import { file } from '../../runtime/http/returns.ts'

export const startOrStop = endpoint('POST /api/browser/screen-recording', {
  summary: 'Start or stop a screen recording of the active tab; it ends after at most max_seconds',
  body: ScreenRecordingInput,
  idempotent: false,
  returns: ScreenRecording,
  async run({ body }, context) {
    return body.action === 'start' ? await startScreenRecording(context, body) : await stopScreenRecording(context)
  },
})

export const fromReplay = endpoint('POST /api/browser/screen-recording/from-recording/{recording_id}', {
  summary: 'Record the screen during a replay; 202 if it takes longer than wait_seconds',
  body: ReplayInput.extend({ format: ScreenRecordingInput.shape.format }),
  body_optional: true,
  returns: ScreenRecording,
  async run({ params, body, reply }, context) {
    const video = await recordReplay(context, params.recording_id, body)
    return reply(video, { status: video.status === 'recording' ? 202 : 200 })
  },
})

export const list = endpoint('GET /api/browser/screen-recordings', {
  summary: 'List screen recordings, newest first',
  returns: z.object({ screen_recordings: z.array(ScreenRecording) }),
  run: async (_, context) => ({ screen_recordings: await listScreenRecordings(context, 200) }),
})

export const show = endpoint('GET /api/browser/screen-recordings/{id}', {
  summary: 'Get a screen recording',
  returns: ScreenRecording,
  run: ({ params }, context) => requireScreenRecording(context, params.id),
})

export const content = endpoint('GET /api/browser/screen-recordings/{id}/content', {
  summary: 'Get the video, webm or mp4',
  returns: file('video/webm'),
  run: ({ params }, context) => screenRecordingResponse(context, params.id),
})

export const remove = removal({
  path: '/api/browser/screen-recordings/{id}',
  summary: 'Delete a screen recording',
  remove: removeScreenRecording,
})
