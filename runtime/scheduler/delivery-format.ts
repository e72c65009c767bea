import { invalidField } from '../fault.ts'
import type { StoredJob } from './job-store.ts'
import type { StoredRun } from './run-store.ts'
import { type Delivery, isFailure } from './schema.ts'

export interface JobRun {
  job: StoredJob
  run: StoredRun
}

/** Further attempts would fail in the same way until a person changes something. */
export class Undeliverable extends Error {
  override name = 'Undeliverable'
}

/** Characters of the result that a summary quotes. */
const maxQuote = 500

/** A result in the format of its job. Pure. */
export function formatResult(result: JobRun): string {
  const { job, run } = result
  const text = run.output ?? run.error ?? ''
  switch (job.delivery.format) {
    case 'json':
      return JSON.stringify(resultData(result), null, 2)
    case 'markdown':
      return `## ${job.name}\n\n${failureText(result)}${text}`
    case 'summary':
      return summary(result, text)
    default:
      return `${failureText(result)}${text}`
  }
}

function failureText({ run: { status, error, output } }: JobRun): string {
  if (!isFailure(status)) return ''
  return output === null ? `${readable(status)}: ` : `${readable(status)}: ${error ?? ''}\n\n`
}

function summary({ job, run }: JobRun, text: string): string {
  const took = run.duration_seconds === null ? '' : ` in ${Math.round(run.duration_seconds)} s`
  const [first = ''] = text.trim().split(/\n\s*\n/)
  const quote = first.length > maxQuote ? `${first.slice(0, maxQuote)}…` : first
  return `${job.name}: ${readable(run.status)}${took}, ${run.input_tokens + run.output_tokens} tokens\n${quote}`
}

const readable = (status: string) => status.replaceAll('_', ' ')

/** One line for people, such as the subject of an email. */
export const headline = ({ job, run }: JobRun): string =>
  isFailure(run.status) ? `${job.name}: ${readable(run.status)}` : job.name

export const resultData = ({ job, run }: JobRun) => ({
  job_id: job.id,
  name: job.name,
  run_id: run.id,
  status: run.status,
  trigger: run.trigger,
  attempt: run.attempt,
  scheduled_for: run.scheduled_for,
  started_at: run.started_at,
  completed_at: run.completed_at,
  duration_seconds: run.duration_seconds,
  conversation_id: run.conversation_id,
  output: run.output,
  error: run.error,
  input_tokens: run.input_tokens,
  output_tokens: run.output_tokens,
  cost_usd: run.cost_usd,
})

/**
 * Refuses a delivery that can never succeed. Whether a channel is set up only shows when something is
 * delivered.
 */
export function checkDelivery({ channel, to, url }: Delivery): void {
  if (channel === 'webhook') {
    const problem = urlProblem(url ?? '')
    if (problem !== null) throw invalidField('delivery.url', problem)
  }
  if (channel !== 'email') return
  const invalid = emailAddresses(to).find((address) => !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(address))
  if (invalid !== undefined) throw invalidField('delivery.to', `${invalid} is not an email address`)
}

export const emailAddresses = (to: string | null): string[] =>
  (to ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean)

/** What is wrong with the address of a request, or null. */
export function urlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be a URL with http or https'
  return url.username || url.password ? 'must not contain a user name or a password' : null
}
