import type { Context } from '../context.ts'
import { type Reservation, settle } from '../monitoring/ledger.ts'
import type { CallEnd, Cost } from '../monitoring/ledger-schema.ts'
import { ModelError } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { minute, second } from '../time.ts'
import type { Attempt, CallRequest } from './call.ts'
import { coolDown, cooldownKey } from './cooldown.ts'
import { estimateInput, estimateSaid } from './estimate.ts'
import { clearCooldown, saveCooldown, saveReadings } from './limit-store.ts'
import type { ProviderWorld } from './standing.ts'
import { readLimits } from './utilization.ts'

interface Ended {
  request: CallRequest
  attempt: Attempt
  reservation: Reservation
  world: ProviderWorld
}

/** Stores in one commit what a call has cost and what it has taught about its model and its provider. */
export async function settleAttempt(context: Context, ended: Ended): Promise<void> {
  const { request, attempt, reservation, world } = ended
  const { provider, model } = attempt.access
  const end = endOf(request, attempt)
  const { input_tokens, output_tokens, cost_usd } = end
  const spent = request.spent?.({ provider, model, input_tokens, output_tokens, cost_usd }) ?? []
  const now = context.clock.now()
  const lessons = [...healthStatements(attempt, world, now), ...limitStatements(attempt, now)]
  await settle(context, reservation, { end, statements: [...spent, ...lessons] })
}

function endOf(request: CallRequest, attempt: Attempt): CallEnd {
  const cost = costOf(request, attempt)
  const { finish, error } = attempt
  const code = error instanceof ModelError ? error.code : null
  if (finish) return { ...cost, status: 'succeeded', estimated: finish.estimated === true, error: null }
  const status = code === null || code === 'cancelled' ? 'cancelled' : 'failed'
  return { ...cost, status, estimated: attempt.began, error: code }
}

/** An answer that broke off is paid for as far as it came; a refused call is not. */
function costOf({ content }: CallRequest, { access, finish, began, said }: Attempt): Cost {
  const tokens = {
    input: finish?.input_tokens ?? (began ? estimateInput(content) : 0),
    output: finish?.output_tokens ?? (began ? estimateSaid(said) : 0),
  }
  return { input_tokens: tokens.input, output_tokens: tokens.output, cost_usd: access.cost(tokens) }
}

function healthStatements(
  { access, finish, error }: Attempt,
  world: ProviderWorld,
  now: number,
): Statement[] {
  const { provider, model } = access
  const keys = [cooldownKey(provider, model), cooldownKey(provider, '*')]
  if (finish) return keys.some((key) => world.cooldowns.has(key)) ? [clearCooldown(provider, model)] : []
  if (!(error instanceof ModelError)) return []
  const before = keys.map((key) => world.cooldowns.get(key)).find((cooldown) => cooldown?.code === error.code)
  const found = coolDown(error, before, now)
  if (!found) return []
  return [saveCooldown(provider, found.scope === 'provider' ? '*' : model, found.cooldown)]
}

/** A wait this long is no matter of one model's pace: the vendor has closed the account's window. */
const hardWait = 1 * minute

function limitStatements({ access, headers, error }: Attempt, now: number): Statement[] {
  const readings = readLimits(headers, now)
  if (error instanceof ModelError && error.code === 'rate_limit') {
    const wait = (error.retry_after_seconds ?? 0) * second
    if (wait >= hardWait) readings.hard_limit_until ??= now + wait
  }
  return Object.keys(readings).length === 0 ? [] : [saveReadings(access.provider, readings, now)]
}
