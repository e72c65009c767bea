import { z } from 'zod'
import { awaitReplay, hasEnded, startReplay } from '../../browser/recordings/replay.ts'
import { findRecording } from '../../browser/recordings/store.ts'
import { NodeError, nodeType, refusal } from '../node-type.ts'

/** Seconds for which a replay is awaited. */
const timeLimit = 3_600

export const browserReplay = nodeType({
  type: 'browser_replay',
  title: 'Replay a recording',
  description:
    'Repeats recorded steps in the browser, without a model. Its output is {replay_id, status, steps}.',
  category: 'action',
  params: z.object({
    recording_id: z.string().min(1).max(64).meta({ 'x-format': 'recording' }),
    variables: z.record(z.string().max(200), z.string().max(10_000)).default({}),
    speed: z.number().min(0.25).max(10).default(1),
  }),
  risk: 'high',
  side_effects: true,
  effect: () => true,
  async problems({ recording_id }, context) {
    const found = await findRecording(context, recording_id)
    return found ? [] : [{ field: 'recording_id', message: `is not a recording of yours: ${recording_id}` }]
  },
  async run({ recording_id, variables, speed }, { context }) {
    try {
      const options = { speed, variables, stop_on_error: true }
      const { replay_id } = await startReplay(
        context,
        recording_id,
        options as Parameters<typeof startReplay>[2],
      )
      const replay = await awaitReplay(context, replay_id, timeLimit)
      if (!hasEnded(replay)) throw new NodeError('timeout', 'The replay takes too long')
      if (replay.status !== 'completed')
        throw new NodeError('replay_failed', replay.error ?? 'The replay failed')
      return { output: { replay_id, status: replay.status, steps: replay.steps.length } }
    } catch (thrown) {
      throw refusal(thrown)
    }
  },
})
