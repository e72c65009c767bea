import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { parseSchedule } from '../../runtime/scheduler/plain-words.ts'
import { Schedule } from '../../runtime/scheduler/schema.ts'
import { isTimeZone } from '../../runtime/time.ts'

const zone = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

export const parseNl = endpoint({
  method: 'POST',
  path: '/api/scheduler/parse-nl',
  summary: 'Read a schedule from plain words; what cannot be read is a 422 that says why',
  body: z.object({
    text: z.string().max(500),
    timezone: zone.optional().meta({ description: 'Instead of that of the profile' }),
    split: z
      .boolean()
      .optional()
      .meta({ description: 'The text may also say what to do; that part is returned as `goal`' }),
    locale: z.string().max(35).optional().meta({ description: 'Language of the words, where it is known' }),
  }),
  returns: z.object({
    schedule: Schedule,
    human_readable: z.string(),
    confidence: z.number(),
    parse_method: z.enum(['regex', 'llm']),
    timezone: z.string(),
    next_runs: z.array(z.string()),
    alternatives: z.array(z.object({ schedule: Schedule, human_readable: z.string() })),
    warnings: z.array(z.string()),
    goal: z.string().optional(),
  }),
  async run({ body }, context) {
    return parseSchedule(context, body)
  },
})
