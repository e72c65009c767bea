import { z } from 'zod'
import {
  changeName,
  removeRecording,
  requireRecording,
  showRecording,
  startRecording,
  stopRecording,
} from '../../runtime/browser/recordings/record.ts'
import {
  awaitReplay,
  cancelReplay,
  hasEnded,
  requireReplay,
  startReplay,
} from '../../runtime/browser/recordings/replay.ts'
import {
  Recording,
  RecordingDetail,
  RecordingName,
  RecordingResult,
  Replay,
  ReplayInput,
} from '../../runtime/browser/recordings/schema.ts'
import { listRecordings, replaysOf } from '../../runtime/browser/recordings/store.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { removal } from '../../runtime/http/removal.ts'

export const start = endpoint('POST /api/browser/recording/start', {
  summary: 'Start recording the actions in the tabs that you can use',
  body: RecordingName,
  returns: Recording,
  run: ({ body }, context) => startRecording(context, body.name),
})

export const stop = endpoint('POST /api/browser/recording/stop', {
  summary: 'Stop the recording',
  returns: RecordingResult,
  run: (_, context) => stopRecording(context),
})

export const list = listing({
  path: '/api/browser/recordings',
  summary: 'List recordings, newest first',
  items: 'recordings',
  item: Recording,
  rows: listRecordings,
})

export const show = endpoint('GET /api/browser/recordings/{id}', {
  summary: 'Get a recording with its steps and the variables that a replay needs',
  returns: RecordingDetail,
  run: ({ params }, context) => showRecording(context, params.id),
})

export const update = endpoint('PUT /api/browser/recordings/{id}', {
  summary: 'Rename a recording',
  body: RecordingName,
  returns: Recording,
  run: ({ params, body }, context) => changeName(context, params.id, body.name),
})

export const remove = removal({
  path: '/api/browser/recordings/{id}',
  summary: 'Delete a recording with its file and replays',
  remove: removeRecording,
})

export const replay = endpoint('POST /api/browser/recordings/{id}/replay', {
  summary: 'Replay a recording, without a model; 202 if it takes longer than wait_seconds',
  body: ReplayInput,
  body_optional: true,
  returns: Replay,
  async run({ params, body, reply }, context) {
    const { replay_id } = await startReplay(context, params.id, body)
    const replay = await awaitReplay(context, replay_id, body.wait_seconds)
    return reply(replay, { status: hasEnded(replay) ? 200 : 202 })
  },
})

export const listReplays = endpoint('GET /api/browser/recordings/{id}/replays', {
  summary: 'List the latest replays of a recording, newest first',
  returns: z.object({ replays: z.array(Replay) }),
  async run({ params }, context) {
    await requireRecording(context, params.id)
    return { replays: await replaysOf(context, params.id, 50) }
  },
})

export const showReplay = endpoint('GET /api/browser/replays/{id}', {
  summary: 'Get a replay with the status of each step',
  returns: Replay,
  run: ({ params }, context) => requireReplay(context, params.id),
})

export const cancel = endpoint('POST /api/browser/replays/{id}/cancel', {
  summary: 'Cancel a replay',
  returns: Replay,
  run: ({ params }, context) => cancelReplay(context, params.id),
})
