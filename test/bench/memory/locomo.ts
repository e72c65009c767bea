import { z } from 'zod'

const Turn = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string().default(''),
  blip_caption: z.string().optional(),
})

const Sample = z.object({
  sample_id: z.string(),
  conversation: z.record(z.string(), z.unknown()),
  qa: z.array(z.object({ question: z.string(), evidence: z.array(z.string()).default([]), category: z.number() })),
})

const months = 'january february march april may june july august september october november december'.split(' ')

/** `1:56 pm on 8 May, 2023`, taken as UTC. */
function dateOf(text: unknown): string | undefined {
  const found = /^(\d+):(\d+) (am|pm) on (\d+) (\w+),? (\d{4})$/i.exec(String(text).trim())
  if (!found) return undefined
  const [, hour, minute, half, day, month, year] = found
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  const time = Date.UTC(Number(year), months.indexOf(month?.toLowerCase() ?? ''), Number(day), hours, Number(minute))
  return new Date(time).toISOString()
}

/** The files of the LoCoMo benchmark (Maharana et al. 2024), which are not part of this repository, as conversations. */
export const Locomo = z.array(Sample).transform((samples) =>
  samples.map(({ sample_id, conversation, qa }) => ({
    id: sample_id,
    sessions: sessionsOf(conversation),
    questions: qa.map(({ question, evidence, category }) => ({
      question,
      evidence: evidence.flatMap((text) => text.match(/D\d+:\d+/g) ?? []),
      category: `category ${category}`,
      scope: undefined,
    })),
  })),
)

const sessionsOf = (conversation: Record<string, unknown>) =>
  Object.entries(conversation)
    .filter(([name]) => /^session_\d+$/.test(name))
    .map(([name, turns]) => ({
      id: name,
      date: dateOf(conversation[`${name}_date_time`]),
      turns: z
        .array(Turn)
        .parse(turns)
        .map(({ dia_id, speaker, text, blip_caption }) => ({
          id: dia_id,
          speaker,
          text: blip_caption ? `${text} (shares a picture of ${blip_caption})` : text,
        })),
    }))
