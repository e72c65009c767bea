import { isFailure } from '../run-schema.ts'
import type { Parcel } from './channel.ts'

/** Characters of the result that a summary quotes. */
const mostQuoted = 500

/** A result in the form that its job asks for. Pure. */
export function format(parcel: Parcel): string {
  const { output, error } = parcel.run
  const text = output ?? error ?? ''
  switch (parcel.job.delivery.format) {
    case 'json':
      return JSON.stringify(plainParcel(parcel), null, 2)
    case 'markdown':
      return `## ${parcel.job.name}\n\n${stateOf(parcel)}${text}`
    case 'summary':
      return summary(parcel, text)
    default:
      return `${stateOf(parcel)}${text}`
  }
}

/** What failed says so; what succeeded speaks for itself. */
function stateOf({ run: { status, error, output } }: Parcel): string {
  if (!isFailure(status)) return ''
  return output === null ? `${spoken(status)}: ` : `${spoken(status)}: ${error ?? ''}\n\n`
}

function summary({ job, run }: Parcel, text: string): string {
  const took = run.duration_seconds === null ? '' : ` in ${Math.round(run.duration_seconds)} s`
  const [first = ''] = text.trim().split(/\n\s*\n/)
  const quoted = first.length > mostQuoted ? `${first.slice(0, mostQuoted)}…` : first
  return `${job.name}: ${spoken(run.status)}${took}, ${run.input_tokens + run.output_tokens} tokens\n${quoted}`
}

const spoken = (status: string) => status.replaceAll('_', ' ')

/** One line for a person, for example as the subject of a mail. */
export const headline = ({ job, run }: Parcel): string =>
  isFailure(run.status) ? `${job.name}: ${spoken(run.status)}` : job.name

/** The parcel as plain data. */
export const plainParcel = ({ job, run }: Parcel) => ({
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
