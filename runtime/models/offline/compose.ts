import { summarise } from '../../english/summarise.ts'
import { clip } from '../../english/text.ts'
import { materialOf, record, rows, textField } from './conversation.ts'
import phrases from './phrases.json' with { type: 'json' }
import { ended, joinList, lowerFirst, plural, quoted, toSecondPerson } from './text.ts'
import { call, type Outcome, type Script, say } from './types.ts'

const MAX_ROWS = 20
const MAX_CHARACTERS = 1500

type Fields = Record<string, unknown>

/** Calls one tool and says what it returned. */
export async function* use(name: string, input: Fields): Script {
  const outcome = yield call(name, input)
  yield say(compose(outcome))
  return materialOf(outcome)
}

/** One tool result as a sentence or a short list, failures included. Text inside results is only ever quoted. */
export function compose(outcome: Outcome): string {
  return outcome.failed ? composeFailure(outcome) : (COMPOSERS.get(outcome.name) ?? composeOther)(outcome)
}

const COMPOSERS = new Map<string, (outcome: Outcome) => string>([
  ['memory_save', composeSaved],
  ['browser', composePage],
  ['files', composeFiles],
  ['todo', ({ output }) => composeTodos(output)],
  ['schedule_job', composeScheduled],
  ['list_jobs', ({ output }) => composeJobs(output)],
  ['project', composeProject],
])

function composeSaved({ input, output }: Outcome): string {
  if (textField(output, 'note')) return phrases.no_secrets
  return `Noted: ${ended(lowerFirst(toSecondPerson(String(input.content ?? 'that'))))}`
}

/** Only what the browser opened: pages that are read have sentences of their own. */
function composePage({ output, input }: Outcome): string {
  const url = textField(output, 'url') || String(input.url ?? 'the page')
  const title = textField(output, 'title')
  const summary = summarise(textField(output, 'text') || textField(output, 'content'), { title })
  return `Opened ${title ? `"${title}" (${url})` : url}.${summary && ` Its main sentences:\n\n${quoted(summary)}`}`
}

function composeFiles({ input, output }: Outcome): string {
  const path = textField(output, 'path') || String(input.path ?? '')
  if (input.action === 'list') return composeEntries(rows(output, 'entries'), path)
  if (input.action === 'read') return composeFile(path, output)
  return `${input.action === 'append' ? 'Added to' : 'Wrote'} ${path}.`
}

function composeEntries(entries: readonly Fields[], path: string): string {
  const place = path === '' || path === '.' ? 'here' : `in ${path}`
  const line = (entry: Fields) => textField(entry, 'path') + (/dir|folder/.test(textField(entry, 'kind')) ? '/' : '')
  return list(entries, `There are no files ${place}.`, line, `${plural(entries.length, 'entry', 'entries')} ${place}`)
}

/** "Empty" is said of a file only when the tool returned an empty text. */
function composeFile(path: string, output: unknown): string {
  const { content = output } = record(output)
  if (typeof content !== 'string') return `${path} was read, but I do not understand the result.`
  if (content.trim() === '') return `${path} is empty.`
  if (content.length <= MAX_CHARACTERS) return `${path}:\n\n${fenced(content)}`
  return `${path} is long (${content.length} characters). Its main sentences:\n\n${quoted(summarise(content, { count: 5 }))}`
}

export function composeTodos(output: unknown): string {
  const items = rows(output, 'items')
  if (items.length === 0) return 'Your to-do list is empty.'
  const open = items.filter((item) => item.done !== true).length
  const lines = items.map((item) => `- [${item.done === true ? 'x' : ' '}] ${textField(item, 'text')}`)
  return `Your to-do list (${open} open):\n\n${lines.join('\n')}`
}

function composeScheduled({ input, output }: Outcome): string {
  const schedule = textField(output, 'human_readable')
  return `Scheduled "${input.name}"${schedule ? `: ${lowerFirst(schedule)}` : ` for ${input.when}`}.`
}

function composeJobs(output: unknown): string {
  const jobs = rows(output, 'jobs', 'items')
  const line = (job: Fields) => {
    const next = textField(job, 'next_run_at')
    const schedule = lowerFirst(textField(job, 'human_readable')) || (next && `next ${next}`)
    const status = textField(job, 'status')
    const details = [status === 'active' ? '' : status, schedule].filter(Boolean).join(', ')
    return `${textField(job, 'name') || textField(job, 'id')}${details && ` (${details})`}`
  }
  return list(jobs, 'There are no scheduled jobs.', line, plural(jobs.length, 'scheduled job'))
}

function composeProject({ input, output }: Outcome): string {
  const name = textField(output, 'name') || String(input.name ?? '')
  if (input.action === 'create') return `Created the project "${name}".`
  const projects = rows(output, 'projects').map((row) => `- ${facts(row)}`)
  return projects.join('\n') || facts({ name, ...record(output) })
}

/** A bulleted list under a heading, cut after `MAX_ROWS`. */
function list(items: readonly Fields[], none: string, line: (item: Fields) => string, heading = ''): string {
  if (items.length === 0) return none
  const more = items.length > MAX_ROWS ? [`… and ${items.length - MAX_ROWS} more`] : []
  const lines = [...items.slice(0, MAX_ROWS).map((item) => clip(line(item), 300)), ...more]
  return `${heading && `${heading}:\n\n`}${lines.map((text) => `- ${text}`).join('\n')}`
}

/** The result of a tool that this model does not know: its plain fields, or its JSON. */
function composeOther({ name, output }: Outcome): string {
  const fields = facts(record(output))
  return `${name} answered${fields ? `: ${fields}` : `:\n\n${fenced(JSON.stringify(output ?? null))}`}`
}

const facts = (fields: Fields): string =>
  joinList(
    Object.entries(fields)
      .filter(([, value]) => /string|number|boolean/.test(typeof value))
      .slice(0, 8)
      .map(([key, value]) => `${key.replaceAll('_', ' ')} ${clip(String(value), 200)}`),
  )

/** A fence longer than any inside, so that quoted text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${clip(text.trimEnd(), MAX_CHARACTERS)}\n${fence}`
}

const REFUSED =
  /^(?:rejected|refused|denied)\b|\bnot approved?\b|\b(?:user|owner|you|approval) (?:has |have |was )?(?:rejected|refused|denied)\b/i
const EXPIRED = /\bapproval\b.{0,200}\b(?:expired|timed out)|\bexpired\b.{0,200}\bapproval|^expired\b/i

/** What was not done, and why: a person refused, nobody answered in time, or the tool failed. */
export function composeFailure(outcome: Outcome): string {
  const { approved, error, ...rest } = record(outcome.output)
  const reasons = [outcome.output, error, rest.reason, rest.message, rest.detail, record(error).message]
  const reason = String(reasons.find((text) => typeof text === 'string' && text !== '') ?? '')
    .trim()
    // Advice to a model that calls the tool.
    .replace(/; use the action [^;]{0,100}$/, '')
  const whole = `${textField(outcome.output, 'status')} ${textField(outcome.output, 'code')} ${reason}`.trim()
  const deed = deedOf(outcome)
  if (EXPIRED.test(whole)) return `Nobody approved it in time, so I did not ${deed}. Ask again when you want it.`
  if (approved !== false && !REFUSED.test(whole))
    return `I could not ${deed}${reason === '' ? '; no reason was given.' : `: ${ended(clip(reason, 300))}`}`
  const words = textField(outcome.output, 'reason')
  const own = words !== '' && !/approv|reject|den(?:y|ied)|declin|refus/i.test(words)
  return `You did not approve it, so I did not ${deed}.${own ? ` Your reason: ${ended(words)}` : ''}`
}

const deeds = new Map(Object.entries(phrases.deeds))

/** What a call was to do: "fetch https://example.com". `{field|absent}` is a field of its input. */
function deedOf({ name, input }: Outcome): string {
  const template = deeds.get(`${name} ${input.action}`) ?? deeds.get(name) ?? `use the tool ${name}`
  return template.replace(/\{(\w+)(?:\|([^}]*))?\}/g, (_, key, other) => String(input[key] ?? other)).trim()
}
