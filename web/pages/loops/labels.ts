import type { Iteration, Loop, StopReason, Verification } from '../../../runtime/loops/schema.ts'
import type { Status } from '../../parts/status.tsx'

export const loopLabels: Record<Loop['status'], Status> = {
  draft: { label: 'Not started', color: 'gray' },
  running: { label: 'Running', color: 'ember' },
  waiting: { label: 'Waiting', color: 'ember' },
  paused: { label: 'Paused', color: 'yellow' },
  blocked: { label: 'Needs you', color: 'yellow' },
  completed: { label: 'Completed', color: 'teal' },
  failed: { label: 'Failed', color: 'red' },
  cancelled: { label: 'Stopped', color: 'gray' },
}

export const iterationLabels: Record<Iteration['status'], Status> = {
  running: { label: 'Running', color: 'ember' },
  verifying: { label: 'Verifying', color: 'ember' },
  finished: { label: 'Not complete', color: 'gray' },
  failed: { label: 'Failed', color: 'red' },
  interrupted: { label: 'Interrupted', color: 'gray' },
  cancelled: { label: 'Stopped', color: 'gray' },
}

/** Why a loop stopped, and what would help. */
export const stopReasons: Record<StopReason, { title: string; help: string | null }> = {
  complete: { title: 'Goal reached', help: null },
  max_iterations: {
    title: 'Maximum iterations reached without success',
    help: 'Raise the maximum under Edit, then resume.',
  },
  budget: { title: 'Budget used up', help: 'Raise it under Edit, then resume.' },
  stuck: {
    title: 'No progress',
    help: 'Change the goal or the constraints under Edit, then resume.',
  },
  blocked: {
    title: 'The agent has a question',
    help: 'Answer it with an instruction, or in the goal under Edit, then resume.',
  },
  judge_error: {
    title: 'Verification failed',
    help: 'The goal does not count as reached. Correct the verification under Edit, then resume.',
  },
  cancelled: { title: 'Stopped', help: null },
  error: { title: 'The loop failed', help: 'Correct the cause, then resume or start it again.' },
}

/** Why a loop stopped, in a few words. */
export function problemOf({ stop_reason, error }: Pick<Loop, 'stop_reason' | 'error'>): string | null {
  if (stop_reason === 'max_iterations' || stop_reason === 'budget') return stopReasons[stop_reason].title
  return error
}

interface Explained {
  label: string
  description: string
}

export const verificationLabels: Record<Verification['kind'], Explained> = {
  judge: {
    label: 'A model judges',
    description:
      'A second model call compares the result with the success criteria. Without a model provider you are asked instead.',
  },
  command: {
    label: 'A check decides',
    description: 'Your JavaScript or shell command reads the files and says whether it is done.',
  },
  http: { label: 'A URL responds', description: 'The loop ends when the URL answers with success (2xx).' },
  human: { label: 'I decide', description: 'After each iteration the loop waits for your verdict.' },
}

export const blockedLabels: Record<Loop['on_blocked'], Explained> = {
  ask: { label: 'Ask me', description: 'The loop waits for your answer, here and on Home.' },
  pause: { label: 'Pause', description: 'The loop waits until you resume it.' },
  fail: { label: 'Fail', description: 'The loop ends.' },
}
