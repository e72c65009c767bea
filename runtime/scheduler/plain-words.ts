import { z } from 'zod'
import { requireDefaultAgent } from '../agents/index.ts'
import { callerTimeZone, describeNow } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import type { Reference, Understood } from '../english/schedules/draft.ts'
import grammar from '../english/schedules/grammar.json' with { type: 'json' }
import { phrase } from '../english/schedules/grammar.ts'
import { parseWords, problemOf, splitWords } from '../english/schedules/parse.ts'
import { Fault } from '../fault.ts'
import { offlineProvider } from '../models/models.ts'
import { needsEnglish } from '../models/offline/notice.ts'
import { ModelError } from '../ports/models.ts'
import { prompt } from '../prompts/prompt.ts'
import { callModel, connectedModel, jsonIn, type ModelAccess } from '../providers/index.ts'
import { nextRuns } from '../schedules/next-run.ts'
import { Schedule } from '../schedules/schedule.ts'
import { interfaceSettings } from '../sections/interface.ts'
import { readSection } from '../sections/section.ts'
import { iso, second } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { wrapUntrusted } from '../untrusted.ts'
import { within } from '../within.ts'
import { humanReadable } from './describe.ts'

export const ParsedSchedule = z.object({
  schedule: Schedule.nullable().meta({ description: 'null if the text needs a choice: see `warnings`' }),
  human_readable: z.string(),
  confidence: z.number(),
  parse_method: z.enum(['regex', 'llm']),
  timezone: z.string(),
  next_runs: z.array(z.string()),
  alternatives: z.array(z.object({ schedule: Schedule, human_readable: z.string() })),
  warnings: z.array(z.string()),
  goal: z.string().optional().meta({ description: 'With `split`: the rest of the text, which says what to do' }),
})
export type ParsedSchedule = z.infer<typeof ParsedSchedule>

interface Text {
  text: string
  /** Default: the zone of the profile. */
  timezone?: string | undefined
  /** The text may also say what to do: "every weekday at 9 summarise my inbox". */
  split?: boolean | undefined
  /** Shown while the person types: no model is called. */
  preview?: boolean | undefined
}

/**
 * Parses a schedule by rules, then by a model if the rules fail and one is set up. Throws a 422 that says
 * why; of a preview, with the code `ask_model` if a model might understand the text.
 */
export async function parseSchedule(
  context: Context,
  { text, timezone, split, preview }: Text,
): Promise<ParsedSchedule> {
  const now = context.clock.now()
  const zone = timezone ?? (await callerTimeZone(context))
  const reference = { now, zone }
  const parts = split ? await splitWords(text, reference) : null
  if (parts) return { ...toParsed(parts.read, 'regex', reference), goal: parts.rest }
  const read = await parseWords(text, reference)
  if (read.ok) return toParsed(read, 'regex', reference)
  const bySun = await offerSunTimes(text, reference, split ?? false)
  if (bySun) return bySun
  const agent = await requireDefaultAgent(context)
  // A text with two schedules is refused rather than left to a model's guess.
  const model = read.alternatives.length > 0 || text.trim() === '' ? null : await connectedModel(context, agent)
  const answer = model && !preview ? await askModel(context, { text, reference, access: model, agent }) : null
  if (answer) return toParsed(answer, 'llm', reference)
  const reason = read.unknown && !model ? await inEnglish(context, text, read.reason) : read.reason
  const alternatives = described(read.alternatives, reference)
  throw new Fault(422, 'validation_error', `text: ${reason}`, {
    extra: {
      ...(model && preview && { code: 'ask_model' }),
      issues: [{ path: 'text', message: reason }],
      reason,
      alternatives,
      examples: grammar.examples.split(' | '),
    },
  })
}

/** Says that without a model only English is read: in the person's language if the text or their settings show it. */
async function inEnglish(context: Context, text: string, reason: string): Promise<string> {
  const { language } = await readSection(context, interfaceSettings)
  return needsEnglish(text, language) ?? `${reason}. Write it in English, or set up a provider`
}

const sunTimes = [
  { name: 'Sunset', pattern: phrase('sunset', 'gi'), time: '18:30' },
  { name: 'Sunrise', pattern: phrase('sunrise', 'gi'), time: '06:30' },
]

/** "at sunset" has no schedule without a location: a warning and a usual time to choose. Null for other words. */
async function offerSunTimes(text: string, reference: Reference, split: boolean): Promise<ParsedSchedule | null> {
  const named = sunTimes.filter(({ pattern }) => text.search(pattern) >= 0)
  if (named.length === 0) return null
  const timed = named.reduce((words, { pattern, time }) => words.replace(pattern, time), text)
  const parts = split ? await splitWords(timed, reference) : null
  const read = parts?.read ?? (await parseWords(timed, reference))
  if (!read.ok) return null
  const warnings = named.map(
    ({ name, time }) => `${name} depends on a place that is not known here; give a time such as ${time}`,
  )
  return {
    schedule: null,
    human_readable: '',
    confidence: 0,
    parse_method: 'regex',
    timezone: reference.zone,
    next_runs: [],
    alternatives: described([read.schedule], reference),
    warnings,
    ...(parts && { goal: parts.rest }),
  }
}

function toParsed(read: Understood, parse_method: 'regex' | 'llm', { now, zone }: Reference): ParsedSchedule {
  const { schedule, confidence, warnings } = read
  return {
    schedule,
    human_readable: humanReadable(schedule, { now, zone }),
    confidence,
    parse_method,
    timezone: schedule.timezone ?? zone,
    next_runs: nextRuns(schedule, now, { zone, anchor: now, count: 5 }).map(iso),
    alternatives: described(read.alternatives, { now, zone }),
    warnings,
  }
}

const described = (schedules: Schedule[], viewer: Reference) =>
  schedules.map((schedule) => ({ schedule, human_readable: humanReadable(schedule, viewer) }))

/** Output tokens; reasoning models need some of them to think. */
const maxTokens = 1_000
/** Milliseconds within which the model must answer. */
const modelTimeout = 30 * second
/** A model guesses, so it is never as certain as a rule. */
const maxConfidence = 0.7

const Answer = z.strictObject({
  schedule: Schedule.nullable(),
  confidence: z.number().min(0).max(1).default(maxConfidence),
  warnings: z.array(z.string().max(300)).max(5).default([]),
})

/** Asks a model. Null if it cannot be reached, or if its answer is not a valid schedule. */
async function askModel(
  context: Context,
  { text, reference, access, agent }: { text: string; reference: Reference; access: ModelAccess; agent: Agent },
): Promise<Understood | null> {
  const words = `${await describeNow(context, reference.zone)}\n${wrapUntrusted(text)}`
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: words }] }]
  const content = { system: prompt('schedule'), messages, tools: [], max_output_tokens: maxTokens }
  const spender = { category: 'internal' as const, agent_id: agent.id }
  const late = new ModelError('timeout', `No answer within ${modelTimeout / second} s`)
  try {
    return await within(context, { milliseconds: modelTimeout, late }, async (signal) => {
      let answer = ''
      for await (const event of callModel({ ...context, signal }, { access, content, spender, agent })) {
        // The offline model knows no more than the rules.
        if (event.type === 'fallback' && event.to.startsWith(`${offlineProvider}/`)) return null
        if (event.type === 'text') answer += event.text
      }
      return parseAnswer(answer, reference)
    })
  } catch (thrown) {
    if (thrown instanceof ModelError) return null
    throw thrown
  }
}

/** Accepts one JSON object with a valid schedule that has a next due time. */
function parseAnswer(answer: string, { now, zone }: Reference): Understood | null {
  const result = Answer.safeParse(jsonIn(answer))
  if (!result.success || !result.data.schedule) return null
  const { confidence, warnings } = result.data
  const schedule = { ...result.data.schedule, timezone: result.data.schedule.timezone ?? zone }
  if (problemOf(schedule, { now, zone })) return null
  return { ok: true, schedule, confidence: Math.min(maxConfidence, confidence), alternatives: [], warnings }
}
