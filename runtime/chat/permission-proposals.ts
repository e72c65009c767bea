import { z } from 'zod'
import { ownerOf } from '../auth/owner.ts'
import { callerTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { notFound } from '../fault.ts'
import { parseTarget } from '../outbound/targets.ts'
import { refusePath } from '../paths.ts'
import { reference } from '../references.ts'
import { day, iso } from '../time.ts'
import { askedSince, findApproval, type StoredApproval } from './approval-store.ts'
import { findOwnConversation } from './conversation-store.ts'
import { allows, type Match, type Permission, type Question } from './permission.ts'
import { permissions, storedMatch, summaryOf } from './permissions.ts'
import { ApprovalStatus } from './schema.ts'

export const Simulation = z.object({
  would_allow: z.int().meta({ description: 'Calls that a person was asked about and that it would have allowed' }),
  would_still_ask: z.int().meta({ description: 'Other calls of the tool that a person was asked about' }),
  examples: z
    .array(z.object({ summary: z.string(), requested_at: z.string(), status: ApprovalStatus, allowed: z.boolean() }))
    .meta({ description: 'Some of both, first those that it would have allowed although a person refused them' }),
})
type Simulation = z.output<typeof Simulation>

export const SimulateRequest = z.object({
  permission: permissions.New,
  days: z.int().min(1).max(365).default(30),
})

const NewPermission = permissions.New.pick({ tool: true, match: true, scope: true })

export const Proposal = z.object({
  permission: NewPermission,
  summary: z.string().meta({ description: 'The tool and the conditions in words' }),
  count: z.int().meta({ description: 'Calls that it covers and that a person has allowed' }),
  simulation: Simulation,
})
type Proposal = z.output<typeof Proposal>

export const ProposalsQuery = z.object({ approval_id: reference('approval').optional() })

/** Same answers before a permission is proposed, within this many days. */
const [enough, period] = [3, 30]
const maxExamples = 6
const maxProposals = 20
/** Characters of a text in an input that conditions look at. */
const maxText = 1_000

/** What a permission would have answered in the last days, whatever its expiry. Nothing is stored. */
export async function simulate(context: Context, { permission, days }: z.output<typeof SimulateRequest>) {
  const match = storedMatch(permission, 'permission.')
  const calls = await answeredCalls(context, days, permission.tool)
  return simulated(calls, { ...permission, match, owner_id: ownerOf(context) }, await callerTimeZone(context))
}

function simulated(calls: readonly StoredApproval[], permission: Permission, zone: string): Simulation {
  const { tool, owner_id, uses_left } = permission
  const whole = { ...permission, until: null, uses_left: null }
  const examples = calls
    .filter((approval) => approval.tool === tool)
    .map((approval) => {
      const { summary, requested_at, status } = approval
      return { summary, requested_at, status, allowed: allows(whole, questionOf(approval, owner_id), zone) }
    })
  const total = examples.filter(({ allowed }) => allowed).length
  const would_allow = Math.min(total, uses_left ?? total)
  const rank = ({ allowed, status }: (typeof examples)[number]) => (allowed ? (status === 'rejected' ? 0 : 1) : 2)
  const ranked = examples.toSorted((one, other) => rank(one) - rank(other))
  return { would_allow, would_still_ask: examples.length - would_allow, examples: ranked.slice(0, maxExamples) }
}

/** The calls that the caller was asked about, the latest first, without the rest of long texts. */
async function answeredCalls(context: Context, days: number, tool?: string): Promise<StoredApproval[]> {
  const calls: StoredApproval[] = []
  const since = iso(context.clock.now() - days * day)
  const short = (_: string, value: unknown) => (typeof value === 'string' ? value.slice(0, maxText) : value)
  for await (const approval of askedSince(context, { owner_id: ownerOf(context), tool, since }))
    calls.push({ ...approval, input: JSON.parse(JSON.stringify(approval.input), short) })
  return calls
}

const questionOf = (approval: StoredApproval, owner_id: string): Question => {
  const { conversation_id, place, tool, input, risk, requested_at } = approval
  return { owner_id, conversation_id, place, tool, input, risk, at: Date.parse(requested_at) }
}

/** Calls that differ in nothing that matters, the latest first. */
interface Group {
  tool: string
  agent_id: string
  match: Match[]
  statuses: string[]
}

/**
 * Permissions for what a person has always allowed lately, at least three times; with `approval_id`, those that would answer
 * this approval.
 */
export async function proposals(
  context: Context,
  { approval_id }: z.output<typeof ProposalsQuery>,
): Promise<Proposal[]> {
  const owner_id = ownerOf(context)
  const pending = approval_id === undefined ? null : await requireApproval(context, approval_id)
  const existing = await permissions.table.list(context, 'id', { owner_id })
  const zone = await callerTimeZone(context)
  const at = context.clock.now()
  const groups = new Map<string, Group>()
  const calls = await answeredCalls(context, period, pending?.tool)
  for (const approval of calls) {
    const question = { ...questionOf(approval, owner_id), at }
    if (!existing.some((one) => allows(one, question, zone))) addTo(groups, approval)
  }
  const made: Proposal[] = []
  for (const { tool, agent_id, match, statuses } of groups.values()) {
    if (statuses.length < enough || statuses.includes('rejected')) continue
    const permission = { tool, match, scope: { agent_id } }
    const whole = { ...permission, owner_id, hours: null, until: null, uses_left: null }
    if (pending && !allows(whole, questionOf(pending, owner_id), zone)) continue
    const simulation = simulated(calls, whole, zone)
    made.push({ permission, summary: summaryOf(permission), count: statuses.length, simulation })
    if (made.length === maxProposals) break
  }
  return made.toSorted((one, other) => other.count - one.count)
}

async function requireApproval(context: Context, id: string): Promise<StoredApproval> {
  const approval = await findApproval(context, id)
  if (approval && (await findOwnConversation(context, approval.conversation_id))) return approval
  throw notFound(`The approval ${id}`)
}

function addTo(groups: Map<string, Group>, approval: StoredApproval): void {
  const { tool, place, risk, status, input } = approval
  if (risk === 'high' || place.tainted || (status !== 'approved' && status !== 'rejected')) return
  const match = conditionsOf(input)
  if (!match) return
  const { agent_id } = place
  const fixed = match.map((one) => (one.op === 'at_most' ? { ...one, value: null } : one))
  const key = JSON.stringify([agent_id, tool, fixed])
  const group = groups.get(key)
  if (!group) {
    groups.set(key, { tool, agent_id, match, statuses: [status] })
    return
  }
  group.statuses.push(status)
  group.match = group.match.map((one, index) =>
    one.op === 'at_most' ? { ...one, value: Math.max(Number(one.value), Number(match[index]?.value)) } : one,
  )
}

/** Arguments that are what is written, not where or to whom; they may differ. */
const texts = new Set('body caption content find message note query replace subject text title version'.split(' '))
const paths = /^(?:path|file|folder|directory|file_path)$/

/** The conditions that a call and those like it meet; null if an argument is none that a condition can compare. */
function conditionsOf(input: unknown, before = ''): Match[] | null {
  const parts = Object.entries(input as object).map(([name, value]) => conditionOf(name, value, before + name))
  return parts.includes(null) ? null : parts.flatMap((part) => part ?? [])
}

function conditionOf(name: string, value: unknown, argument: string): Match[] | null {
  if (value === null || value === undefined) return []
  if (typeof value === 'boolean') return [{ argument, op: 'equals', value }]
  if (typeof value === 'number') return value >= 0 ? [{ argument, op: 'at_most', value }] : null
  if (typeof value === 'object')
    return Array.isArray(value) || argument.includes('.') ? null : conditionsOf(value, `${argument}.`)
  if (typeof value !== 'string' || texts.has(name)) return typeof value === 'string' ? [] : null
  const parsed = parseTarget(value)
  if (parsed.ok) return [{ argument, op: 'host', value: parsed.target.url.host }]
  if (paths.test(name) && refusePath(value) === null)
    return [{ argument, op: 'prefix', value: value.split('/').slice(0, -1).join('/') || value }]
  return value.length <= 200 ? [{ argument, op: 'equals', value }] : null
}
