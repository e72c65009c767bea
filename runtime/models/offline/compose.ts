import { materialOf, record, rows, textField } from './conversation.ts'
import { summarise } from './summarise.ts'
import { clip, ended, joinList, lowerFirst, plural, quoted, toSecondPerson } from './text.ts'
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
  return outcome.failed ? composeFailure(outcome) : (COMPOSERS[outcome.name] ?? composeOther)(outcome)
}

const NO_SECRETS =
  'I noted it without the password or key: memory stores no secrets. Keep it in a password manager.'

const COMPOSERS: Record<string, (outcome: Outcome) => string> = {
  memory_save: ({ input, output }) =>
    textField(output, 'note')
      ? NO_SECRETS
      : `Noted: ${ended(lowerFirst(toSecondPerson(String(input.content ?? 'that'))))}`,
  memory_search: ({ output }) =>
    list(rows(output, 'results'), 'I found nothing about that in memory.', (row) =>
      textField(row, 'content'),
    ),
  web_fetch: composePage,
  browser: composePage,
  http_request: ({ output }) => {
    const body = textField(output, 'body')
    const status = record(output).status ?? 'unknown'
    return body === ''
      ? `The server answered ${status} with no body.`
      : `The server answered ${status}:\n\n${fenced(body)}`
  },
  files: composeFiles,
  todo: ({ output }) => composeTodos(output),
  schedule_job: composeScheduled,
  list_jobs: ({ output }) => composeJobs(output),
  cancel_job: ({ input, output }) =>
    `Cancelled: ${textField(output, 'name') || input.name || input.id || 'the job'}.`,
  arm_check_in: ({ input }) => `I will come back to this in ${minutesText(Number(input.delay_minutes))}.`,
  ask_user: ({ output }) => `You answered: ${answerOf(output)}`,
  project: ({ input, output }) => {
    const name = textField(output, 'name') || String(input.name ?? '')
    if (input.action === 'create') return `Created the project "${name}".`
    const projects = rows(output, 'projects').map((row) => `- ${facts(row)}`)
    return projects.join('\n') || facts({ name, ...record(output) })
  },
  workflow: ({ input, output }) => {
    const status = textField(output, 'status')
    if (input.action !== 'run') return facts({ name: input.name, ...record(output) })
    return `Started the workflow "${input.name}".${status && ` Its status: ${status}.`}`
  },
}

function composePage({ name, output, input }: Outcome): string {
  const url = textField(output, 'url') || String(input.url ?? 'the page')
  const title = textField(output, 'title')
  const text = textField(output, 'text') || textField(output, 'content')
  const summary = summarise(text, { title })
  if (name === 'browser') {
    const opened = `Opened ${title ? `"${title}" (${url})` : url}.`
    return text === '' ? opened : `${opened} It says:\n\n${quoted(summary)}`
  }
  const status = Number(record(output).status ?? 200)
  if (status >= 400) return `${url} answered with status ${status}, so there is nothing to read.`
  if (summary === '') return `${title ? `"${title}" at ${url}` : url} has no readable text.`
  const partial = record(output).truncated === true ? '\n\nOnly its first part was fetched.' : ''
  return `${title ? `**${title}** (${url})` : url} says, in its own sentences:\n\n${quoted(summary)}${partial}`
}

function composeFiles({ input, output }: Outcome): string {
  const path = textField(output, 'path') || String(input.path ?? '')
  if (input.action === 'list') return composeEntries(rows(output, 'entries'), path)
  if (input.action === 'search') return composeMatches(rows(output, 'matches'), String(input.query ?? ''))
  if (input.action === 'read') return composeFile(path, output)
  const done = { edit: 'Changed', append: 'Added to' }[String(input.action)] ?? 'Wrote'
  return `${done} ${path}${measured(record(output).size_bytes)}.`
}

function composeEntries(entries: readonly Fields[], path: string): string {
  const place = path === '' || path === '.' ? 'here' : `in ${path}`
  const line = (entry: Fields) => {
    const folder = /dir|folder/.test(textField(entry, 'kind'))
    return `${textField(entry, 'path')}${folder ? '/' : measured(entry.size_bytes)}`
  }
  return list(
    entries,
    `There are no files ${place}.`,
    line,
    `${plural(entries.length, 'entry', 'entries')} ${place}`,
  )
}

function composeMatches(matches: readonly Fields[], query: string): string {
  const line = (match: Fields) =>
    `${textField(match, 'path')}:${textField(match, 'line')} ${clip(textField(match, 'text').trim(), 160)}`
  return list(
    matches,
    `No file contains "${query}".`,
    line,
    `${plural(matches.length, 'match', 'matches')} for "${query}"`,
  )
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
  const open = items.filter((item) => item.done !== true).length
  const lines = items.map((item) => `- [${item.done === true ? 'x' : ' '}] ${textField(item, 'text')}`)
  return items.length === 0
    ? 'Your to-do list is empty.'
    : `Your to-do list (${open} open):\n\n${lines.join('\n')}`
}

function composeScheduled({ input, output }: Outcome): string {
  const schedule = textField(output, 'human_readable')
  if (schedule) return `Scheduled "${input.name}": ${lowerFirst(schedule)}.`
  const next = textField(output, 'next_run_at')
  return `Scheduled "${input.name}" for ${input.when}${next && ` (next: ${next})`}.`
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
  if (fields !== '') return `${name} answered: ${fields}`
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? null)
  return /^(?:\s*|null|\{\})$/.test(text) ? `${name} is done.` : `${name} answered:\n\n${fenced(text)}`
}

function facts(fields: Fields): string {
  const plain = Object.entries(fields).filter(([, value]) => /string|number|boolean/.test(typeof value))
  return joinList(
    plain.slice(0, 8).map(([key, value]) => `${key.replaceAll('_', ' ')} ${clip(String(value), 200)}`),
  )
}

export function answerOf(output: unknown): string {
  const keys = ['answer', 'choice', 'text', 'response', 'value']
  return typeof output === 'string'
    ? output.trim()
    : (keys.map((key) => textField(output, key)).find(Boolean) ?? '')
}

export function minutesText(minutes: number): string {
  const hours = Math.round(minutes / 60)
  if (minutes < 120) return plural(minutes, 'minute')
  return hours < 48 ? plural(hours, 'hour') : plural(Math.round(hours / 24), 'day')
}

function measured(size: unknown): string {
  if (typeof size !== 'number') return ''
  if (size < 1000) return ` (${size} bytes)`
  return ` (${size < 1e6 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`})`
}

/** A fence longer than any inside, so that quoted text cannot end it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${clip(text.trimEnd(), MAX_CHARACTERS)}\n${fence}`
}

/** What was not done, and why. */
export function composeFailure(outcome: Outcome): string {
  const { kind, reason } = failureOf(outcome)
  const deed = deedOf(outcome)
  if (kind === 'rejected') {
    const given = textField(outcome.output, 'reason')
    const own = given !== '' && !/approv|reject|den(?:y|ied)|declin|refus/i.test(given)
    return `You did not approve it, so I did not ${deed}.${own ? ` Your reason: ${ended(given)}` : ''}`
  }
  if (kind === 'expired')
    return `Nobody approved it in time, so I did not ${deed}. Ask again when you want it.`
  return reason === ''
    ? `I could not ${deed}; no reason was given.`
    : `I could not ${deed}: ${ended(clip(reason, 300))}`
}

const REFUSED =
  /^(?:rejected|refused|denied)\b|\b(?:not approved|disapproved|approval (?:was )?(?:rejected|refused|denied|declined)|(?:rejected|refused|denied|declined) (?:by|the approval)|(?:user|owner|you) (?:has |have |did )?(?:rejected|refused|denied|declined|not approve))/i
const EXPIRED =
  /\bapproval\b.{0,200}\b(?:expired|timed out|ran out)|\bexpired\b.{0,200}\bapproval|^expired\b/i

/** Whether a person refused, nobody answered in time, or the tool failed. */
export function failureOf({ output }: Outcome): { kind: 'rejected' | 'expired' | 'error'; reason: string } {
  const { approved, error, ...rest } = record(output)
  const reasons = [output, error, rest.reason, rest.message, rest.detail, record(error).message]
  const reason = String(reasons.find((text) => typeof text === 'string' && text !== '') ?? '')
    .trim()
    // Advice to a model that calls the tool.
    .replace(/; use the action [^;]{0,100}$/, '')
  const whole = `${textField(output, 'status')} ${textField(output, 'code')} ${reason}`.trim()
  if (EXPIRED.test(whole)) return { kind: 'expired', reason }
  return { kind: approved === false || REFUSED.test(whole) ? 'rejected' : 'error', reason }
}

/** By tool, or by tool and action. `{field}` is a field of the input; what follows `|` stands for an absent one. */
const DEEDS: Record<string, string> = {
  time: 'read the clock',
  memory_save: 'save that to memory',
  memory_search: 'search the memory',
  web_fetch: 'fetch {url|the page}',
  http_request: 'send the {method|HTTP} request to {url|that address}',
  browser: '{action|open} {url|the page} in the browser',
  files: '{action} {path|the files}',
  'files list': 'list the files',
  'files append': 'add to {path|the files}',
  todo: 'change the to-do list',
  'todo list': 'read the to-do list',
  schedule_job: 'schedule "{name|that}"',
  list_jobs: 'list the jobs',
  cancel_job: 'cancel the job {name|}',
  arm_check_in: 'arm the check-in',
  ask_user: 'get an answer from you',
  project: 'read the project status',
  'project create': 'create the project "{name}"',
  workflow: 'read the status of the workflow "{name}"',
  'workflow run': 'run the workflow "{name}"',
}

/** What a call was to do: "fetch https://example.com". */
function deedOf({ name, input }: Outcome): string {
  const template = DEEDS[`${name} ${input.action}`] ?? DEEDS[name] ?? `use the tool ${name}`
  return template.replace(/\{(\w+)(?:\|([^}]*))?\}/g, (_, key, other) => String(input[key] ?? other)).trim()
}
