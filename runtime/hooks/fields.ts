import { z } from 'zod'

export const Name = z.string().trim().min(1).max(200).meta({ title: 'Name' })

export const Enabled = z.boolean().default(true).meta({ title: 'Enabled' })

/** An event type or a prefix of event types: `job.run.failed`, `job.*`, `*`. */
const EventPattern = z
  .string()
  .max(100)
  .regex(
    /^(\*|[a-z_]+(\.[a-z_]+)*(\.\*)?)$/,
    'must be an event type such as job.run.failed, or a pattern such as job.*',
  )

export const EventPatterns = z.array(EventPattern).min(1).max(50).meta({ title: 'Events', format: 'events' })

/** A JSONata expression over `type`, `ts` and `data`; only events for which it is true match. */
export const EventFilter = z.string().max(10_000).default('').meta({
  title: 'Filter',
  description:
    "JSONata over type, ts and data, such as data.status = 'failed' or $contains(data.text, 'urgent'). Leave blank for every event",
  format: 'expression',
})

/** A secret as it is shown after it was created. */
export const SecretHint = z.object({ configured: z.literal(true), hint: z.string() })
