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

const params = z.object({ id: z.string() })

export const replay = endpoint({
  method: 'POST',
  path: '/api/browser/recordings/{id}/replay',
  summary: 'Do a recording again, without a model; 202 when it takes longer than wait_seconds',
  params,
  body: ReplayInput,
  body_optional: true,
  returns: Replay,
  async run({ params, body }, context) {
    const { replay_id } = await startReplay(context, params.id, body)
    const replay = await awaitReplay(context, replay_id, body.wait_seconds)
    return Response.json(replay, { status: hasEnded(replay) ? 200 : 202 })
  },
})

export const listReplays = endpoint({
  method: 'GET',
  path: '/api/browser/recordings/{id}/replays',
  summary: 'The latest replays of a recording, the newest first',
  params,
  returns: z.object({ replays: z.array(Replay) }),
  async run({ params }, context) {
    await requireRecording(context, params.id)
    return Response.json({ replays: await replaysOf(context, params.id, 50) })
  },
})

export const showReplay = endpoint({
  method: 'GET',
  path: '/api/browser/replays/{id}',
  summary: 'How far a replay is, step by step',
  params,
  returns: Replay,
  async run({ params }, context) {
    return Response.json(await requireReplay(context, params.id))
  },
})

export const cancel = endpoint({
  method: 'POST',
  path: '/api/browser/replays/{id}/cancel',
  summary: 'End a replay before its time',
  params,
  returns: Replay,
  async run({ params }, context) {
    return Response.json(await cancelReplay(context, params.id))
  },
})
