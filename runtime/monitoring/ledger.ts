import type { Context } from '../context.ts'
import { commit } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { ModelError } from '../ports/models.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { type AgentBudget, type CallLimit, limitsOf, noticeBudgets, noticeRefusal } from './budget-limits.ts'
import { forgetBases } from './budget-store.ts'
import type { CallEnd, Cost, OpenCall, Spender } from './ledger-schema.ts'
import {
  extendCall,
  hasOpenCalls,
  lapse,
  longestAnswer,
  releaseLapsed,
  releaseOthers,
  reserveCall,
  settleCall,
  usedOf,
} from './ledger-store.ts'

/** A call that has its place in every budget, and may be sent. */
export interface Reservation {
  call: OpenCall
  limits: readonly CallLimit[]
  /** It stands in the ledger already; a call that no budget can refuse is written when it has ended. */
  held: boolean
  /** What is reserved; grows with an answer that gets longer. */
  cost: Cost
}

export interface Wanted {
  provider: string
  model: string
  spender: Spender
  /** What it may cost, as far as can be told before; `longest` is the longest of the agent's latest answers, in tokens. */
  estimate(longest: number): Cost
  /** The limits that the agent names itself. */
  own: AgentBudget | null
}

const nothing: Cost = { input_tokens: 0, output_tokens: 0, cost_usd: 0 }

/** Reserves what a call may cost, or throws the `ModelError` `budget_exceeded`; then it must not be sent. */
export async function reserve(context: Context, wanted: Wanted): Promise<Reservation> {
  const call = openCall(context, wanted)
  const limits = await limitsOf(context, call, wanted.own)
  const paused = limits.find(({ budget }) => budget?.paused)
  if (paused) throw refusal(`The budget ${paused.label} is exceeded and paused until a person resumes it`)
  const blocking = limits.filter(({ blocks }) => blocks)
  if (blocking.length === 0) return { call, limits, held: false, cost: nothing }
  const { owner } = context.process
  const cost = wanted.estimate(await longestAnswer(context, call.spender.agent_id ?? null))
  try {
    // A crash gives reservations back, so they need not outlive a power failure.
    await context.sql.write(reserveCall(call, { cost, limits: blocking, owner }), { durable: false })
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    throw await refuse(context, blocking, { cost, what: 'this call' })
  }
  return { call, limits, held: true, cost }
}

/**
 * Reserves what an answer costs beyond its estimate, before it costs that. Throws the `ModelError` `budget_exceeded`
 * when a budget has no room: then the call must end.
 */
export async function extend(context: Context, reservation: Reservation, cost: Cost): Promise<void> {
  const { call, limits, cost: before } = reservation
  const blocking = limits.filter(({ blocks }) => blocks)
  const more = {
    usd: Math.max(0, cost.cost_usd - before.cost_usd),
    tokens: Math.max(0, sumOf(cost) - sumOf(before)),
  }
  try {
    await context.sql.write([extendCall(call.id, more, blocking)], { durable: false })
    reservation.cost = cost
  } catch (thrown) {
    if (!(thrown instanceof GuardFailed)) throw thrown
    const rest = { input_tokens: 0, output_tokens: more.tokens, cost_usd: more.usd }
    throw await refuse(context, blocking, { cost: rest, what: 'the rest of this answer' })
  }
}

const sumOf = ({ input_tokens, output_tokens }: Cost) => input_tokens + output_tokens

function openCall(context: Context, { provider, model, spender }: Wanted): OpenCall {
  const at = context.clock.now()
  const id = newId('call', at)
  return { id, at, provider, model, spender, run_ref: spender.run_ref ?? spender.message_id ?? id }
}

const refusal = (message: string) => new ModelError('budget_exceeded', message)

/** Names the budget that has no room, as it stands now. */
async function refuse(
  context: Context,
  limits: readonly CallLimit[],
  { cost, what }: { cost: Cost; what: string },
): Promise<ModelError> {
  for (const limit of limits) {
    const used = await usedOf(context, limit)
    if (hasRoom(limit, used, cost)) continue
    await noticeRefusal(context, limit)
    return refusal(`The budget ${limit.label} has no room for ${what}: ${describe(limit, used, cost)}`)
  }
  return refusal(`A budget had no room for ${what}; other calls held what was left`)
}

function hasRoom(limit: CallLimit, used: { usd: number; tokens: number }, cost: Cost): boolean {
  const tokens = used.tokens + cost.input_tokens + cost.output_tokens
  if (limit.limit_tokens !== null && tokens > limit.limit_tokens) return false
  return limit.limit_usd === null || used.usd + cost.cost_usd <= limit.limit_usd
}

function describe(limit: CallLimit, used: { usd: number; tokens: number }, cost: Cost): string {
  const money = (amount: number) => `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`
  if (limit.limit_usd !== null)
    return `${money(used.usd)} of ${money(limit.limit_usd)} used or reserved, ${money(cost.cost_usd)} more needed`
  const more = cost.input_tokens + cost.output_tokens
  return `${used.tokens} of ${limit.limit_tokens} tokens used or reserved, ${more} more needed`
}

/**
 * Puts what a call has really cost in the place of what was reserved, together with `statements`, counts its
 * tokens, and warns when a budget has passed a mark.
 */
export async function settle(
  context: Context,
  { call, limits, held }: Reservation,
  { end, statements }: { end: CallEnd; statements: readonly Statement[] },
): Promise<void> {
  const now = context.clock.now()
  const { owner } = context.process
  const entry = held ? [] : reserveCall(call, { cost: nothing, limits: [], owner })
  const late = now - call.at > lapse ? [forgetBases()] : []
  await context.commit([...entry, settleCall(call.id, end, iso(now)), ...late, ...statements])
  const labels = { model: call.model }
  context.metrics.count('token_usage_total', { ...labels, type: 'input' }, end.input_tokens)
  context.metrics.count('token_usage_total', { ...labels, type: 'output' }, end.output_tokens)
  await noticeBudgets(context, limits, end)
}

/**
 * Gives back what calls had reserved whose process died. `alone` says that no other process is on this store;
 * otherwise only what has lapsed is given back.
 */
export async function releaseReservations(host: Host, alone: boolean): Promise<void> {
  if (!(await hasOpenCalls(host))) return
  const now = iso(host.clock.now())
  await commit(host, [alone ? releaseOthers(host.process.owner, now) : releaseLapsed(now)])
}
