import { composeFailure } from './failure.ts'
import { record, rows, textField } from './outcome.ts'
import { summarise } from './summarise.ts'
import { clip, ended, joinList, lowerFirst, plural, quoted, toSecondPerson } from './text.ts'
import type { Outcome } from './types.ts'

const SHOWN_ROWS = 20
const SHOWN_CHARACTERS = 1500

/** One tool result as a sentence or a short list, failures included. What is inside results is only ever quoted. */
export function compose(outcome: Outcome): string {
  if (outcome.failed) return composeFailure(outcome)
  return (COMPOSERS[outcome.name] ?? composeOther)(outcome)
}

const COMPOSERS: Record<string, (outcome: Outcome) => string> = {
  memory_save: ({ input }) => `Noted: ${ended(lowerFirst(toSecondPerson(String(input.content ?? 'that'))))}`,
  memory_search: ({ output }) => composeMemories(output),
  web_fetch: ({ output, input }) => composePage(output, String(input.url ?? '')),
  http_request: ({ output }) => composeResponse(output),
  browser: ({ output, input }) => composeBrowser(output, input),
  files: composeFiles,
  todo: ({ output }) => composeTodos(output),
  schedule_job: composeScheduled,
  list_jobs: ({ output }) => composeJobs(output),
  cancel_job: ({ input, output }) =>
    `Cancelled: ${textField(output, 'name') || input.name || input.id || 'the job'}.`,
  arm_check_in: ({ input }) => `I will come back to this in ${minutesText(Number(input.delay_minutes))}.`,
  ask_user: ({ output }) => `You answered: ${answerOf(output)}`,
  project: composeProject,
  workflow: composeWorkflow,
}

export function composeMemories(output: unknown): string {
  const found = rows(output, 'results')
  if (found.length === 0) return 'I found nothing about that in memory.'
  return found
    .slice(0, 5)
    .map((row) => `- ${clip(textField(row, 'content'), 300)}`)
    .join('\n')
}

function composePage(output: unknown, asked: string): string {
  const url = textField(output, 'url') || asked
  const status = Number(record(output).status ?? 200)
  if (status >= 400) return `${url} answered with status ${status}, so there is nothing to read.`
  const title = textField(output, 'title')
  const summary = summarise(textField(output, 'text'), { count: 3, title })
  if (summary === '') return `${title ? `"${title}" at ${url}` : url} has no readable text.`
  const partial = record(output).truncated === true ? '\n\nOnly its first part was fetched.' : ''
  return `${title ? `**${title}** (${url})` : url} says, in its own sentences:\n\n${quoted(summary)}${partial}`
}

function composeResponse(output: unknown): string {
  const body = textField(output, 'body')
  const status = record(output).status ?? 'unknown'
  return body === ''
    ? `The server answered ${status} with no body.`
    : `The server answered ${status}:\n\n${fenced(body)}`
}

function composeBrowser(output: unknown, input: Record<string, unknown>): string {
  const title = textField(output, 'title')
  const url = textField(output, 'url') || String(input.url ?? 'the page')
  const text = textField(output, 'text') || textField(output, 'content')
  const opened = `Opened ${title ? `"${title}" (${url})` : url}.`
  return text === '' ? opened : `${opened} It says:\n\n${quoted(summarise(text, { title }))}`
}

function composeFiles({ input, output }: Outcome): string {
  if (input.action === 'list') return composeEntries(rows(output, 'entries'), String(input.path ?? ''))
  if (input.action === 'search') return composeMatches(rows(output, 'matches'), String(input.query ?? ''))
  const path = textField(output, 'path') || String(input.path ?? 'the file')
  if (input.action === 'read') return composeFile(path, textField(output, 'content'))
  const size = record(output).size_bytes
  const measured = typeof size === 'number' ? ` (${bytes(size)})` : ''
  return `${input.action === 'edit' ? 'Changed' : input.action === 'append' ? 'Added to' : 'Wrote'} ${path}${measured}.`
}

function composeEntries(entries: Record<string, unknown>[], path: string): string {
  const place = path === '' || path === '.' ? 'here' : `in ${path}`
  if (entries.length === 0) return `There are no files ${place}.`
  const lines = entries.slice(0, SHOWN_ROWS).map((entry) => {
    const folder = /dir|folder/.test(textField(entry, 'kind'))
    const size = typeof entry.size_bytes === 'number' && !folder ? ` (${bytes(entry.size_bytes)})` : ''
    return `- ${textField(entry, 'path')}${folder ? '/' : ''}${size}`
  })
  return `${plural(entries.length, 'entry', 'entries')} ${place}:\n\n${lines.join('\n')}${more(entries.length)}`
}

function composeMatches(matches: Record<string, unknown>[], query: string): string {
  if (matches.length === 0) return `No file contains "${query}".`
  const lines = matches.slice(0, SHOWN_ROWS).map((match) => {
    return `- ${textField(match, 'path')}:${textField(match, 'line')} ${clip(textField(match, 'text').trim(), 160)}`
  })
  return `${plural(matches.length, 'match', 'matches')} for "${query}":\n\n${lines.join('\n')}${more(matches.length)}`
}

function composeFile(path: string, content: string): string {
  if (content.trim() === '') return `${path} is empty.`
  if (content.length <= SHOWN_CHARACTERS) return `${path}:\n\n${fenced(content)}`
  return `${path} is long (${content.length} characters). Its main sentences:\n\n${quoted(summarise(content, { count: 5 }))}`
}

export function composeTodos(output: unknown): string {
  const items = rows(output, 'items')
  if (items.length === 0) return 'Your to-do list is empty.'
  const lines = items.map((item) => `- [${item.done === true ? 'x' : ' '}] ${textField(item, 'text')}`)
  const open = items.filter((item) => item.done !== true).length
  return `Your to-do list (${open} open):\n\n${lines.join('\n')}`
}

function composeScheduled({ input, output }: Outcome): string {
  const told = textField(output, 'human_readable')
  if (told) return `Scheduled "${input.name}": ${lowerFirst(told)}.`
  const next = nextTime(record(output))
  return `Scheduled "${input.name}" for ${input.when}${next ? ` (next: ${next})` : ''}.`
}

export function composeJobs(output: unknown): string {
  const jobs = rows(output, 'jobs', 'items')
  if (jobs.length === 0) return 'There are no scheduled jobs.'
  const lines = jobs.slice(0, SHOWN_ROWS).map((job) => {
    const told = lowerFirst(textField(job, 'human_readable')) || (nextTime(job) && `next ${nextTime(job)}`)
    const facts = [textField(job, 'status'), told].filter(Boolean)
    return `- ${textField(job, 'name') || textField(job, 'id')}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`
  })
  return `${plural(jobs.length, 'scheduled job')}:\n\n${lines.join('\n')}${more(jobs.length)}`
}

function nextTime(job: Record<string, unknown>): string {
  const next = ['next_run_at', 'next_run', 'next_at', 'run_at']
    .map((key) => textField(job, key))
    .find(Boolean)
  const listed = job.next_runs
  return next ?? (Array.isArray(listed) && typeof listed[0] === 'string' ? listed[0] : '')
}

function composeProject({ input, output }: Outcome): string {
  const name = textField(output, 'name') || String(input.name ?? '')
  if (input.action === 'create') return `Created the project "${name}".`
  const listed = rows(output, 'projects')
  if (listed.length > 0) return listed.map((row) => `- ${facts(row)}`).join('\n')
  return facts({ name, ...record(output) })
}

function composeWorkflow({ input, output }: Outcome): string {
  if (input.action === 'run') return `Started the workflow "${input.name}".${statusOf(output)}`
  return facts({ name: input.name, ...record(output) })
}

function statusOf(output: unknown): string {
  const status = textField(output, 'status')
  return status === '' ? '' : ` Its status: ${status}.`
}

/** A result of a tool that this model knows nothing about: its plain fields, or its JSON. */
function composeOther({ name, output }: Outcome): string {
  if (typeof output === 'string')
    return output.trim() === '' ? `${name} is done.` : `${name} answered:\n\n${fenced(output)}`
  const plain = facts(record(output))
  if (plain !== '') return `${name} answered: ${plain}`
  const json = JSON.stringify(output ?? null)
  return json === 'null' || json === '{}' ? `${name} is done.` : `${name} answered:\n\n${fenced(json)}`
}

function facts(fields: Record<string, unknown>): string {
  const plain = Object.entries(fields).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  )
  return joinList(
    plain.slice(0, 8).map(([key, value]) => `${key.replaceAll('_', ' ')} ${clip(String(value), 200)}`),
    'and',
  )
}

export function answerOf(output: unknown): string {
  if (typeof output === 'string') return output.trim()
  return (
    ['answer', 'choice', 'text', 'response', 'value'].map((key) => textField(output, key)).find(Boolean) ?? ''
  )
}

export function minutesText(minutes: number): string {
  if (minutes < 120) return plural(minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 48 ? plural(hours, 'hour') : plural(Math.round(hours / 24), 'day')
}

function bytes(size: number): string {
  if (size < 1000) return `${size} bytes`
  return size < 1e6 ? `${(size / 1000).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`
}

function more(count: number): string {
  return count > SHOWN_ROWS ? `\n- … and ${count - SHOWN_ROWS} more` : ''
}

/** A fence longer than any inside, so that quoted text cannot end it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${clip(text.trimEnd(), SHOWN_CHARACTERS)}\n${fence}`
}
