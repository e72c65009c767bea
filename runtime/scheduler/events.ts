import { z } from 'zod'
import type { EventsOf } from '../events/event.ts'

const job = z.object({ job_id: z.string() })
const run = job.extend({ name: z.string(), run_id: z.string() })
const begun = run.extend({ trigger: z.string(), attempt: z.int() })
const ended = begun.extend({
  scheduled_for: z.string().nullable(),
  conversation_id: z.string().nullable(),
  status: z.string(),
  error: z.string().nullable(),
  will_retry: z.boolean(),
})
const delivered = run.extend({ channel: z.string(), error: z.string().nullable() })
const chain = z.object({ chain_id: z.string() })
const chainRun = chain.extend({ name: z.string(), chain_run_id: z.string() })
const endedChain = chainRun.extend({ status: z.string() })

export const schedulerEvents = {
  'job.created': job.extend({ name: z.string() }),
  'job.updated': job,
  'job.deleted': job,
  'job.condition.failed': run.extend({ condition: z.string(), error: z.string() }),
  'job.run.started': begun.extend({ conversation_id: z.string().nullable() }),
  'job.run.finished': ended,
  'job.run.failed': ended,
  'job.run.missed': run.extend({ scheduled_for: z.string(), reason: z.string().nullable() }),
  'job.run.delivered': delivered,
  'job.delivery.failed': delivered,
  'chain.run.finished': endedChain,
  'chain.run.failed': endedChain,
  'chain.created': chain.extend({ name: z.string() }),
  'chain.deleted': chain,
  'chain.run.started': chainRun,
}

declare module '../events/event.ts' {
  interface EventMap extends EventsOf<typeof schedulerEvents> {}
}
