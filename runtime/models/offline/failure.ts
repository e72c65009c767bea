import { failureOf, textField } from './outcome.ts'
import { clip, ended } from './text.ts'
import type { Outcome } from './types.ts'

/** Plainly what was not done and why. */
export function composeFailure(outcome: Outcome): string {
  const { kind, reason } = failureOf(outcome)
  const deed = deedOf(outcome)
  if (kind === 'rejected') return `You did not approve it, so I did not ${deed}.${because(outcome)}`
  if (kind === 'expired')
    return `Nobody approved it in time, so I did not ${deed}. Ask again when you want it.`
  return reason === ''
    ? `I could not ${deed}, and was not told why.`
    : `I could not ${deed}: ${ended(clip(reason, 300))}`
}

function because(outcome: Outcome): string {
  const given = textField(outcome.output, 'reason')
  return given === '' || /approv|reject|den(?:y|ied)|declin|refus/i.test(given)
    ? ''
    : ` Your reason: ${ended(given)}`
}

const DEEDS: Record<string, (input: Record<string, unknown>) => string> = {
  time: () => 'read the clock',
  memory_save: () => 'save that to memory',
  memory_search: () => 'search the memory',
  web_fetch: (input) => `fetch ${input.url ?? 'the page'}`,
  http_request: (input) => `send the ${input.method ?? 'HTTP'} request to ${input.url ?? 'that address'}`,
  browser: (input) => `${input.action ?? 'open'} ${input.url ?? 'the page'} in the browser`,
  files: (input) =>
    input.action === 'list' ? 'list the files' : `${input.action} ${input.path ?? 'the files'}`,
  todo: (input) => (input.action === 'list' ? 'read the to-do list' : 'change the to-do list'),
  schedule_job: (input) => `schedule "${input.name ?? 'that'}"`,
  list_jobs: () => 'list the jobs',
  cancel_job: (input) => `cancel the job ${input.name ?? input.id ?? ''}`.trim(),
  arm_check_in: () => 'arm the check-in',
  ask_user: () => 'get an answer from you',
  project: (input) =>
    input.action === 'create' ? `create the project "${input.name}"` : 'read the project status',
  workflow: (input) =>
    `${input.action === 'run' ? 'run' : 'read the status of'} the workflow "${input.name}"`,
}

function deedOf({ name, input }: Outcome): string {
  return DEEDS[name]?.(input) ?? `use the tool ${name}`
}
