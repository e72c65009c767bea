import type { Context } from '../context.ts'
import { ModelError } from '../ports/models.ts'
import { iso, second } from '../time.ts'
import { accessTo, type ModelAccess } from './access.ts'
import { type Assignment, assign, backupsOf, type Cooldown, coolingOf, isOut, retryWait } from './failover.ts'
import { type ProviderWorld, readWorld, reviewProviders } from './limits.ts'

export interface Wanted {
  /** The model to call first. */
  access: ModelAccess
  /** The agent's fallbacks, in order. */
  fallbacks?: readonly { provider: string; model: string }[] | undefined
  /** Use this model only, regardless of its state. */
  alone?: boolean | undefined
  /** Nothing is called during a cooldown that will pass: the caller prefers to wait. */
  patient?: boolean | undefined
}

export interface Plan {
  /** The models to call, in order; never empty. */
  candidates: ModelAccess[]
  /** Why the first model is not the requested one; empty if it is. */
  reason: string
  world: ProviderWorld
}

interface Option {
  rank: 'wanted' | 'fallback' | 'backup'
  provider: string
  model: string
  access: ModelAccess | null
}

type Obstacle =
  | { reason: 'near_limit'; until: number | null }
  | { reason: 'cooldown'; cooldown: Cooldown }
  | { reason: 'unconfigured'; error: ModelError }

/** Plans a call. Waits if every permitted model has asked for a short wait. */
export async function planWhenOpen(context: Context, request: Wanted): Promise<Plan> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await planCall(context, request)
    } catch (thrown) {
      const wait = request.alone || request.patient ? null : retryWait(thrown, retries)
      if (wait === null) throw thrown
      await context.clock.after(wait, context.signal)
    }
  }
}

/**
 * The models to call for one step: the requested one, the agent's fallbacks, then the backups of its provider, without
 * those that are not set up, at their limit or in a cooldown. If none is left, the first whose cooldown is our own rule
 * is tried all the same; a time that a vendor named is respected. Throws `ModelError` if nothing may be called.
 */
export async function planCall(context: Context, request: Wanted): Promise<Plan> {
  if (request.alone) return { candidates: [request.access], reason: '', world: await readWorld(context) }
  const world = await reviewProviders(context)
  const options = optionsOf(request, world)
  const judged = options.map((option) => ({ option, obstacle: obstacleOf(option, world) }))
  const free = judged.filter(({ obstacle }) => obstacle === null)
  const lenient = judged.filter(
    ({ obstacle }) =>
      obstacle?.reason === 'cooldown' && !obstacle.cooldown.asked && !(request.patient && isPassing(obstacle.cooldown)),
  )
  const candidates = await accesses(
    context,
    free.map(({ option }) => option),
  )
  const last =
    candidates.length === 0
      ? await accesses(
          context,
          lenient.map(({ option }) => option),
        )
      : []
  const chosen = candidates.length === 0 ? last.slice(0, 1) : candidates
  const first = judged[0]?.obstacle ?? null
  if (chosen.length === 0) throw refusal(request.access, first, world.now)
  return { candidates: chosen, reason: first?.reason ?? '', world }
}

/** When the first of the models that may be called is open again, in milliseconds since the epoch; null if that is not known. */
export async function reopening(context: Context, request: Wanted): Promise<number | null> {
  const world = await readWorld(context)
  const times = optionsOf(request, world).flatMap((option) => {
    const obstacle = obstacleOf(option, world)
    if (obstacle?.reason === 'cooldown') return obstacle.cooldown.until
    return obstacle?.reason === 'near_limit' && obstacle.until !== null ? obstacle.until : []
  })
  return times.length === 0 ? null : Math.min(...times)
}

/** Whether a cooldown ends by itself; the cooldown of a refused key does not. */
const isPassing = ({ code }: Cooldown): boolean => !['auth', 'billing', 'model_not_found'].includes(code)

function optionsOf({ access, fallbacks = [] }: Wanted, world: ProviderWorld): Option[] {
  const backups = backupsOf(access.provider, world.settings)
  const ready = backups.filter(({ provider }) => !isOut(provider, world))
  const spent = backups.filter(({ provider }) => isOut(provider, world))
  const other = (rank: Option['rank']) => (one: { provider: string; model: string }) => ({
    ...one,
    rank,
    access: null,
  })
  const options: Option[] = [
    { rank: 'wanted', provider: access.provider, model: access.model, access },
    ...fallbacks.map(other('fallback')),
    ...[...ready, ...spent].map(other('backup')),
  ]
  const seen = new Set<string>()
  return options.filter((option) => {
    const name = nameOf(option)
    return seen.has(name) ? false : seen.add(name)
  })
}

/** `anthropic/claude-sonnet-4-5` */
export const nameOf = ({ provider, model }: { provider: string; model: string }): string => `${provider}/${model}`

function obstacleOf(option: Option, world: ProviderWorld): Obstacle | null {
  const missing = option.access?.missing
  if (missing) return { reason: 'unconfigured', error: missing }
  const cooldown = coolingOf(world.cooldowns, option, world.now)
  if (cooldown) return { reason: 'cooldown', cooldown }
  const { use, until } = assign(option.provider, world)
  return mayBeCalled(option, use, world) ? null : { reason: 'near_limit', until }
}

/** A backup at its own limit is called only if the rules say `keep_going`. */
function mayBeCalled(option: Option, use: Assignment['use'], world: ProviderWorld): boolean {
  if (option.rank !== 'backup') return use === 'primary'
  return world.settings.both_out === 'keep_going' || !isOut(option.provider, world)
}

/** Skips candidates that are not set up. */
async function accesses(context: Context, options: readonly Option[]): Promise<ModelAccess[]> {
  const fallbacks: ModelAccess[] = []
  for (const { provider, model, access } of options) {
    const one = access ?? (await accessTo(context, provider, model).catch(ignoreModelErrors))
    if (one) fallbacks.push(one)
  }
  return fallbacks
}

function ignoreModelErrors(thrown: unknown): null {
  if (thrown instanceof ModelError) return null
  throw thrown
}

function refusal({ provider }: ModelAccess, obstacle: Obstacle | null, now: number): ModelError {
  if (obstacle?.reason === 'unconfigured') return obstacle.error
  const until = obstacle?.reason === 'cooldown' ? obstacle.cooldown.until : (obstacle?.until ?? null)
  const wait = until === null ? '' : ` until ${iso(until)}`
  const seconds = until === null ? undefined : Math.ceil((until - now) / second)
  const facts = { retry_after_seconds: seconds }
  if (obstacle?.reason === 'cooldown') {
    const { code, asked: isVendorTime } = obstacle.cooldown
    const why = isVendorTime ? 'asked not to be called' : 'does not answer; it is called again'
    return new ModelError(code, `${provider} ${why}${wait}`, {
      ...facts,
      transient: isPassing(obstacle.cooldown),
    })
  }
  return new ModelError('rate_limit', `${provider} and its backups are at their limits${wait}`, facts)
}
