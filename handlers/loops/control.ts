import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { answerLoop, pauseLoop, resumeLoop, startLoop, steerLoop, stopLoop } from '../../runtime/loops/control.ts'
import { Loop } from '../../runtime/loops/schema.ts'

const loops = { path: '/api/loops', Row: Loop } as const

const text = z.string().trim().min(1).max(10_000)

export const start = verbOf(loops, 'start', { summary: 'Start a new run of a loop', status: 202, run: startLoop })

export const pause = verbOf(loops, 'pause', { summary: 'Pause a loop; the current iteration finishes', run: pauseLoop })

export const resume = verbOf(loops, 'resume', {
  summary: 'Continue a paused or failed run after its last finished iteration',
  run: resumeLoop,
})

export const stop = verbOf(loops, 'stop', { summary: 'Stop the current run of a loop', run: stopLoop })

export const steer = verbOf(loops, 'steer', {
  summary: 'Give the next iteration an instruction',
  body: z.object({ instruction: text }),
  run: (context, id, { instruction }) => steerLoop(context, id, instruction),
})

export const answer = verbOf(loops, 'answer', {
  summary: 'Answer the question of a blocked loop',
  body: z.object({ answer: text }),
  run: (context, id, { answer }) => answerLoop(context, id, answer),
})
