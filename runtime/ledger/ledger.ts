import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { commit } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import { wonRace } from '../lost-race.ts'
import { ModelError } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { processState } from '../process-state.ts'
import { iso, second } from '../time.ts'
import { type AgentBudget, type CallLimit, limitsOf, noticeBudgets, noticeRefusal } from './budget-limits.ts'
import { forgetBases } from './budget-store.ts'
import {
  extendCall,
  hasOpenCalls,
  longestAnswer,
  releaseExpired,
  releaseOthers,
  reservationTime,
  reserveCall,
  settleCall,
  settledOf,
  usedOf,
} from './ledger-store.ts'
import type { CallEnd, Cost, OpenCall } from './schema.ts'
import type { Spender } from './spender.ts'

/** A call that fits into every budget and may be sent. */
export interface Reservation {
  call: OpenCall
  limits: readonly CallLimit[]
  /** The call is in the ledger already; a call that no budget can refuse is written when it has ended. */
  reserved: boolean
  /** The reserved amount; grows with the answer. */
  cost: Cost
}

export interface Wanted {
  provider: string
  model: string
  spender: Spender
  /** The expected cost; `longest` is the longest of the agent's latest answers, in tokens. */
  estimate(longest: number): Cost
  /** False if the price is unknown, so that no budget in USD can be enforced. */
  priced: boolean
  /** The agent's own limits. */
  own: AgentBudget | null
}

const nothing: Cost = { input_tokens: 0, output_tokens: 0, cost_usd: 0 }

/** Reserves what a call may cost, or throws the `ModelError` `budget_exceeded`; then it must not be sent. */
export async function reserve(context: Context, request: Wanted): Promise<Reservation> {
  const call = openCall(context, request)
  const limits = await limitsOf(context, call, request.own)
  const paused = limits.find(({ budget }) => budget?.paused)
  if (paused) throw refusal(`The budget ${paused.label} is exceeded and paused until a person resumes it`)
  const blocking = limits.filter(({ blocks }) => blocks)
  if (blocking.length === 0) return { call, limits, reserved: false, cost: nothing }
  const in_usd = blocking.find(({ limit_usd, by_person }) => limit_usd !== null && by_person)
  if (in_usd && !request.priced)
    throw refusal(
      `The price of ${call.provider}/${call.model} is unknown, so the budget ${in_usd.label} in USD cannot be enforced; ` +
        'set a price in Settings → Spending, or limit tokens',
    )
  const { owner } = context.process
  const cost = request.estimate(await longestAnswer(context, call.spender.agent_id ?? null))
  // A restart releases reservations, so they need not survive a power failure.
  const store = () => context.sql.write(reserveCall(call, { cost, limits: blocking, owner }), { durable: false })
  await whenRoom(context, store, { limits: blocking, cost })
  return { call, limits, reserved: true, cost }
}

/** Longest wait for the end of calls that have reserved what is left of a budget, in milliseconds. */
const maxWait = 30 * second
/** Until it is tried again, because calls of another process may have ended. */
const pollEvery = 5 * second

interface Claim {
  limits: readonly CallLimit[]
  cost: Cost
}

/**
 * Stores a reservation as soon as every limit has room. What other running calls have reserved is waited for, since most of
 * it is released when they end. Throws the `ModelError` `budget_exceeded`; it is transient if only reservations are in the way.
 */
async function whenRoom(context: Context, store: () => Promise<unknown>, claim: Claim): Promise<void> {
  const until = context.clock.now() + maxWait
  for (;;) {
    const settlement = nextSettlement(context)
    try {
      if (await wonRace(store())) return
      const held = await heldLimit(context, claim)
      if (held === null) throw await refuse(context, claim.limits, { cost: claim.cost, what: 'this call' })
      if (context.clock.now() >= until) throw await busy(context, held, claim)
      await settlement.within(pollEvery)
    } finally {
      settlement.close()
    }
  }
}

/** The first limit that has no room, if only because of what other running calls have reserved; null if one is used up. */
async function heldLimit(context: Context, { limits, cost }: Claim): Promise<CallLimit | null> {
  let held: CallLimit | null = null
  for (const limit of limits) {
    if (!hasRoom(limit, await settledOf(context, limit), cost)) return null
    if (!hasRoom(limit, await usedOf(context, limit), cost)) held ??= limit
  }
  // Without one, a reservation was released in between.
  return held ?? limits[0] ?? null
}

async function busy(context: Context, limit: CallLimit, { cost }: Claim): Promise<ModelError> {
  const used = describe(limit, await usedOf(context, limit), cost)
  const message = `The budget ${limit.label} has no room for this call while other calls run: ${used}; try again when they have ended`
  return new ModelError('budget_exceeded', message, { transient: true })
}

/** Callbacks for the end of the next call of this process. */
const settlements = processState(() => new Set<() => void>())

function nextSettlement(context: Context) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const closed = new AbortController()
  const waiting = settlements(context).add(resolve)
  return {
    /** Resolves at the settlement, or after that many milliseconds. */
    within: (milliseconds: number) =>
      Promise.race([promise, context.clock.after(milliseconds, AbortSignal.any([context.signal, closed.signal]))]),
    close() {
      waiting.delete(resolve)
      closed.abort(over)
    },
  }
}

const over = new Error('The wait is over')

/**
 * Reserves more for an answer that gets longer than estimated, before the cost occurs. Throws the
 * `ModelError` `budget_exceeded` if a budget has no room: then the call must end.
 */
export async function extend(context: Context, reservation: Reservation, cost: Cost): Promise<void> {
  const { call, limits, cost: before } = reservation
  const blocking = limits.filter(({ blocks }) => blocks)
  const more = {
    usd: Math.max(0, cost.cost_usd - before.cost_usd),
    tokens: Math.max(0, sumOf(cost) - sumOf(before)),
  }
  const extended = context.sql.write([extendCall(call.id, more, blocking)], { durable: false })
  if (!(await wonRace(extended))) {
    // No waiting here: answers that all get longer would wait for each other.
    const rest = { input_tokens: 0, output_tokens: more.tokens, cost_usd: more.usd }
    throw await refuse(context, blocking, { cost: rest, what: 'the rest of this answer' })
  }
  reservation.cost = cost
}

const sumOf = ({ input_tokens, output_tokens }: Cost) => input_tokens + output_tokens

function openCall(context: Context, { provider, model, spender }: Wanted): OpenCall {
  const at = context.clock.now()
  const id = newId('call', at)
  return {
    id,
    owner_id: ownerOf(context),
    at,
    provider,
    model,
    spender,
    run_ref: spender.run_ref ?? spender.message_id ?? id,
  }
}

const refusal = (message: string) => new ModelError('budget_exceeded', message)

/** The error that names the budget without room and its current use. */
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
  return refusal(`A budget had no room for ${what}; other calls had reserved what was left`)
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
 * Replaces the reservation with the real cost, in one commit with `statements`; counts the tokens, and warns
 * if a budget has passed a threshold.
 */
export async function settle(
  context: Context,
  { call, limits, reserved }: Reservation,
  { end, statements }: { end: CallEnd; statements: readonly Statement[] },
): Promise<void> {
  const now = context.clock.now()
  const { owner } = context.process
  const entry = reserved ? [] : reserveCall(call, { cost: nothing, limits: [], owner })
  const late = now - call.at > reservationTime ? [forgetBases()] : []
  await context.commit([...entry, settleCall(call.id, end, iso(now)), ...late, ...statements])
  for (const notify of settlements(context)) notify()
  const labels = { model: call.model }
  context.metrics.count('token_usage_total', { ...labels, type: 'input' }, end.input_tokens)
  context.metrics.count('token_usage_total', { ...labels, type: 'output' }, end.output_tokens)
  context.metrics.count('token_usage_total', { ...labels, type: 'cached_input' }, end.cached_tokens)
  context.metrics.count('model_cost_usd_total', labels, end.cost_usd)
  context.metrics.count('model_calls_total', { ...labels, status: end.status })
  await noticeBudgets(context, limits, end)
}

/**
 * Releases the reservations of calls whose process died. `alone` means that no other process uses this
 * database; otherwise only expired reservations are released.
 */
export async function releaseReservations(host: Host, alone: boolean): Promise<void> {
  if (!(await hasOpenCalls(host))) return
  const now = iso(host.clock.now())
  await commit(host, [alone ? releaseOthers(host.process.owner, now) : releaseExpired(now)])
}
