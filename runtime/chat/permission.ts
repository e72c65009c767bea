import { z } from 'zod'
import { isHost, matchesHost, parseTarget, readRule } from '../outbound/targets.ts'
import { ownValue } from '../own-value.ts'
import { refusePath } from '../paths.ts'
import { reference } from '../references.ts'
import type { Risk } from '../tools/modes.ts'
import { duringOf, type Hours } from './proactive.ts'

const ops = {
  equals: 'exactly',
  one_of: 'one of',
  prefix: 'in the folder',
  host: 'an address on',
  at_most: 'a number up to',
}

/** What one argument of a call must be. */
export const Match = z.strictObject({
  argument: z.string().trim().min(1).max(100).meta({
    title: 'Argument',
    description: 'Of the tool, such as path; a dot leads to a part of it',
    format: 'line',
  }),
  op: z.enum(['equals', 'one_of', 'prefix', 'host', 'at_most']).default('equals').meta({
    title: 'Must be',
    labels: ops,
  }),
  value: z.unknown().meta({
    title: 'Value',
    description: 'For one of: separated by commas. For an address: a host, or *.example.com for the hosts below it',
    format: 'line',
  }),
})
export type Match = z.output<typeof Match>

const any = { null: 'Any' }
export const Scope = z.strictObject({
  agent_id: reference('agent').optional().meta({ title: 'Agent', labels: any }),
  conversation_id: reference('conversation').optional().meta({ title: 'Conversation', labels: any }),
  project_id: reference('own_project').optional().meta({ title: 'Project', labels: any }),
  loop_id: reference('loop').optional().meta({ title: 'Loop', labels: any }),
})
export type Scope = z.output<typeof Scope>

/** Where a call was made besides its conversation. */
export interface Place {
  agent_id: string
  project_id: string | null
  loop_id: string | null
  /** The conversation contained untrusted text. */
  tainted: boolean
}

/** A call that a person would be asked about. */
export interface Question {
  owner_id: string
  conversation_id: string
  place: Place
  tool: string
  /** As the tool accepted it. */
  input: unknown
  risk: Risk
  /** In milliseconds since the epoch. */
  at: number
}

export interface Permission {
  owner_id: string
  tool: string
  match: readonly Match[]
  scope: Scope
  hours: Hours | null
  until: string | null
  uses_left: number | null
}

/** Whether a permission covers a call; `zone` is its owner's. The only place that decides it. Pure. */
export function allows(permission: Permission, question: Question, zone: string): boolean {
  const { hours, until, uses_left, scope } = permission
  const { place, conversation_id, input, at } = question
  const where: Record<string, unknown> = { ...place, conversation_id }
  return (
    question.risk !== 'high' &&
    !place.tainted &&
    permission.owner_id === question.owner_id &&
    permission.tool === question.tool &&
    Object.entries(scope).every(([name, id]) => id === undefined || where[name] === id) &&
    (until === null || at < Date.parse(until)) &&
    uses_left !== 0 &&
    (hours === null || duringOf(hours, zone)(at)) &&
    permission.match.every(({ argument, op, value }) => tests[op](argumentOf(input, argument), value))
  )
}

function argumentOf(input: unknown, argument: string): unknown {
  const part = (value: unknown, name: string) =>
    typeof value === 'object' && value !== null ? ownValue(value as Record<string, unknown>, name) : undefined
  return argument.split('.').reduce(part, input)
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)

/** A value of another type than the one that is compared never matches. */
const tests: Record<Match['op'], (argument: unknown, value: unknown) => boolean> = {
  equals: (argument, value) => isScalar(argument) && argument === value,
  one_of: (argument, value) => isScalar(argument) && Array.isArray(value) && value.includes(argument),
  // The daemon's own tools follow no links, and a path that could lead out of its folder is refused here as by them.
  prefix: (argument, value) =>
    typeof argument === 'string' &&
    typeof value === 'string' &&
    refusePath(value) === null &&
    refusePath(argument) === null &&
    (argument === value || argument.startsWith(`${value}/`)),
  host(argument, value) {
    const parsed = typeof argument === 'string' ? parseTarget(argument) : null
    const rule = typeof value === 'string' && isHost(value) ? readRule(value) : null
    if (!parsed?.ok || !rule) return false
    const { host, port, url } = parsed.target
    return matchesHost(rule, host, port) && (rule.port !== null || url.port === '')
  },
  at_most: (argument, value) =>
    typeof argument === 'number' && typeof value === 'number' && argument >= 0 && argument <= value,
}

/** The value of a condition as it is stored, from what a person entered; `problem` says what is wrong with it. */
export function readValue({ op, value }: Match): { value: unknown } | { problem: string } {
  const text = typeof value === 'string' ? value.trim() : ''
  if (op === 'equals') return isScalar(value) ? { value } : { problem: 'must be a text, a number, true or false' }
  if (op === 'one_of') {
    const values = Array.isArray(value) ? value : text.split(/[,\n]/).flatMap((one) => one.trim() || [])
    return values.length > 0 && values.length <= 100 && values.every(isScalar)
      ? { value: values }
      : { problem: 'must be up to 100 values, separated by commas' }
  }
  if (op === 'at_most') {
    const number = text === '' ? value : Number(text)
    const isFit = typeof number === 'number' && number >= 0 && number < Infinity
    return isFit ? { value: number } : { problem: 'must be a number, 0 or more' }
  }
  if (op === 'host')
    return isHost(text) ? { value: text.toLowerCase() } : { problem: 'must be a host, such as printer.example' }
  const folder = text.replace(/\/$/, '')
  return refusePath(folder) === null ? { value: folder } : { problem: 'must be a folder, such as notes/daily' }
}

const short = (value: unknown): string => {
  const text = [value].flat().join(', ')
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** The conditions in words, such as `path in notes, amount up to 20`; empty if there are none. */
export const describeMatch = (match: readonly Match[]): string =>
  match
    .map(({ argument, op, value }) => {
      const link = { equals: '', one_of: '', prefix: 'in ', host: 'on ', at_most: 'up to ' }[op]
      return `${argument} ${link}${short(value)}`
    })
    .join(', ')
