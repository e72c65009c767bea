import {
  changeName,
  removeRecording,
  showRecording,
  startRecording,
  stopRecording,
} from '../../runtime/browser/recordings/record.ts'
import {
  Recording,
  RecordingDetail,
  RecordingName,
  RecordingResult,
} from '../../runtime/browser/recordings/schema.ts'
import { listRecordings } from '../../runtime/browser/recordings/store.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'

export const start = endpoint({
  method: 'POST',
  path: '/api/browser/recording/start',
  summary: 'Begin to write down what is done in the browser, by whomever',
  body: RecordingName,
  returns: Recording,
  async run({ body }, context) {
    return startRecording(context, body.name)
  },
})

export const stop = endpoint({
  method: 'POST',
  path: '/api/browser/recording/stop',
  summary: 'End the recording',
  returns: RecordingResult,
  async run(_, context) {
    return stopRecording(context)
  },
})

export const list = endpoint({
  method: 'GET',
  path: '/api/browser/recordings',
  summary: 'List recordings, the newest first',
  query: pageQuery(),
  returns: listOf('recordings', Recording),
  async run({ query }, context) {
    const { limit, offset } = query
    return { ...(await listRecordings(context, query)), limit, offset }
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/browser/recordings/{id}',
  summary: 'A recording with its steps, and the variables that a replay needs',
  returns: RecordingDetail,
  async run({ params }, context) {
    return showRecording(context, params.id)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/browser/recordings/{id}',
  summary: 'Rename a recording',
  body: RecordingName,
  returns: Recording,
  async run({ params, body }, context) {
    return changeName(context, params.id, body.name)
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/browser/recordings/{id}',
  summary: 'Delete a recording with its file and replays',
  returns: Deleted,
  async run({ params }, context) {
    await removeRecording(context, params.id)
    return { deleted: true, id: params.id }
  },
})
