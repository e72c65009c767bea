import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  answerLoop,
  pauseLoop,
  resumeLoop,
  startLoop,
  steerLoop,
  stopLoop,
} from '../../runtime/loops/control.ts'
import { Loop } from '../../runtime/loops/schema.ts'

const text = z.string().trim().min(1).max(10_000)

export const start = endpoint({
  method: 'POST',
  path: '/api/loops/{id}/start',
  summary: 'Start a new run of a loop',
  returns: Loop,
  status: 202,
  run: ({ params }, context) => startLoop(context, params.id),
})

export const pause = endpoint({
  method: 'POST',
  path: '/api/loops/{id}/pause',
  summary: 'Pause a loop; the current iteration finishes',
  returns: Loop,
  run: ({ params }, context) => pauseLoop(context, params.id),
})

export const resume = endpoint({
  method: 'POST',
  path: '/api/loops/{id}/resume',
  summary: 'Continue a paused or failed run after its last finished iteration',
  returns: Loop,
  run: ({ params }, context) => resumeLoop(context, params.id),
})

export const stop = endpoint({
  method: 'POST',
  path: '/api/loops/{id}/stop',
  summary: 'End a run now',
  returns: Loop,
  run: ({ params }, context) => stopLoop(context, params.id),
})

export const steer = endpoint({
  method: 'POST',
  path: '/api/loops/{id}/steer',
  summary: 'Give the next iteration an instruction',
  body: z.object({ instruction: text }),
  returns: Loop,
  run: ({ params, body }, context) => steerLoop(context, params.id, body.instruction),
})

export const answer = endpoint({
  method: 'POST',
  path: '/api/loops/{id}/answer',
  summary: 'Answer the question of a blocked loop',
  body: z.object({ answer: text }),
  returns: Loop,
  run: ({ params, body }, context) => answerLoop(context, params.id, body.answer),
})
