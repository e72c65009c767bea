import { z } from 'zod'
import { requireRecording } from '../../runtime/browser/recordings/record.ts'
import {
  awaitReplay,
  cancelReplay,
  hasEnded,
  requireReplay,
  startReplay,
} from '../../runtime/browser/recordings/replay.ts'
import { replaysOf } from '../../runtime/browser/recordings/replay-store.ts'
import { Replay, ReplayInput } from '../../runtime/browser/recordings/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const replay = endpoint({
  method: 'POST',
  path: '/api/browser/recordings/{id}/replay',
  summary: 'Do a recording again, without a model; 202 when it takes longer than wait_seconds',
  body: ReplayInput,
  body_optional: true,
  returns: Replay,
  async run({ params, body, reply }, context) {
    const { replay_id } = await startReplay(context, params.id, body)
    const replay = await awaitReplay(context, replay_id, body.wait_seconds)
    return reply(replay, { status: hasEnded(replay) ? 200 : 202 })
  },
})

export const listReplays = endpoint({
  method: 'GET',
  path: '/api/browser/recordings/{id}/replays',
  summary: 'The latest replays of a recording, the newest first',
  returns: z.object({ replays: z.array(Replay) }),
  async run({ params }, context) {
    await requireRecording(context, params.id)
    return { replays: await replaysOf(context, params.id, 50) }
  },
})

export const showReplay = endpoint({
  method: 'GET',
  path: '/api/browser/replays/{id}',
  summary: 'How far a replay is, step by step',
  returns: Replay,
  async run({ params }, context) {
    return requireReplay(context, params.id)
  },
})

export const cancel = endpoint({
  method: 'POST',
  path: '/api/browser/replays/{id}/cancel',
  summary: 'End a replay before its time',
  returns: Replay,
  async run({ params }, context) {
    return cancelReplay(context, params.id)
  },
})
