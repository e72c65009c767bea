import type { Agent } from '../agents/schema.ts'
import type { Context } from '../context.ts'
import { longestText } from '../files/attachments.ts'
import { isTextType } from '../files/sniff.ts'
import { watchKillSwitch } from '../monitoring/kill-switch.ts'
import { extend, type Reservation, reserve, settle } from '../monitoring/ledger.ts'
import type { CallEnd, Cost, Spender } from '../monitoring/ledger-schema.ts'
import { type FilePart, type ModelCall, ModelError, type ModelEvent } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { minute, second } from '../time.ts'
import type { ModelAccess } from './access.ts'
import { coolDown, cooldownKey, mayMoveOn } from './failover.ts'
import type { ProviderWorld } from './limits.ts'
import { nameOf, planCall } from './plan.ts'
import { clearCooldown, saveCooldown, saveReadings } from './store.ts'
import { readLimits } from './utilization.ts'

/** What one call has cost, and whom. */
export interface CallUsage extends Cost {
  provider: string
  model: string
}

export interface CallRequest {
  /** The model that is wanted. */
  access: ModelAccess
  content: CallContent
  spender: Spender
  /** Gives its fallbacks and its own budget. */
  agent?: Pick<Agent, 'model' | 'budget'> | null
  /** Asks this model and no other, whatever is known of it: to find out how it is. */
  alone?: boolean
  /** Told what each call has cost; what it returns is stored in the same commit. */
  spent?(usage: CallUsage): Statement[]
}

/** Another model goes on in the place of `from`; both are `provider/model`. */
export interface Fallback {
  type: 'fallback'
  from: string
  to: string
  /** A `ModelErrorCode`, `cooldown`, `near_limit` or `unconfigured`. */
  reason: string
}

export type CallEvent = Exclude<ModelEvent, { type: 'limits' }> | Fallback

/** One request to a vendor, as it goes. */
export interface Attempt {
  access: ModelAccess
  /** Characters that came. */
  said: number
  /** Tokens that they are at most. */
  said_tokens: number
  /** The most that came at once, in tokens. */
  largest: number
  /** Something came that the caller has passed on, so no other model can begin anew. */
  began: boolean
  finish: Extract<ModelEvent, { type: 'finish' }> | null
  headers: Record<string, string>
  error: unknown
}

/**
 * The one way to call a model. In order: the kill switch, whom to call, a reservation in every budget, the call, and
 * what it cost. Each candidate is asked at most once; the next one only as long as nothing was said. Every change of
 * the model is told by a `fallback` event. Throws `ModelError`.
 */
export async function* callModel(context: Context, request: CallRequest): AsyncGenerator<CallEvent, void> {
  const watch = await watchKillSwitch(context)
  try {
    yield* callInTurn({ ...context, signal: watch.signal }, request)
  } catch (thrown) {
    throw stoppedBySwitch(watch.signal) ?? thrown
  } finally {
    watch.close()
  }
}

const stoppedBySwitch = ({ aborted, reason }: AbortSignal): ModelError | null =>
  aborted && reason instanceof ModelError ? reason : null

async function* callInTurn(context: Context, request: CallRequest): AsyncGenerator<CallEvent, void> {
  const { access: wanted, agent, alone } = request
  const plan = await planCall(context, { access: wanted, fallbacks: agent?.model.fallbacks, alone })
  let from = nameOf(wanted)
  let reason = plan.reason
  let queue = plan.candidates
  for (let access = queue.shift(); access; access = queue.shift()) {
    const to = nameOf(access)
    if (to !== from) yield { type: 'fallback', from, to, reason }
    const attempt: Attempt = {
      access,
      said: 0,
      said_tokens: 0,
      largest: 0,
      began: false,
      finish: null,
      headers: {},
      error: null,
    }
    try {
      return yield* callOnce(context, request, { attempt, world: plan.world })
    } catch (thrown) {
      queue = queue.filter(({ provider }) => mayTry(provider, attempt, thrown))
      const stays = attempt.began || context.signal.aborted || !(thrown instanceof ModelError)
      if (stays || queue.length === 0) throw thrown
      from = to
      reason = thrown.code
    }
  }
}

/** A refused key is refused for all models of its provider. */
function mayTry(provider: string, { access }: Attempt, thrown: unknown): boolean {
  if (!(thrown instanceof ModelError) || !mayMoveOn(thrown.code)) return false
  return provider !== access.provider || (thrown.code !== 'auth' && thrown.code !== 'billing')
}

interface Progress {
  attempt: Attempt
  world: ProviderWorld
}

async function* callOnce(
  context: Context,
  request: CallRequest,
  { attempt, world }: Progress,
): AsyncGenerator<CallEvent, void> {
  const reservation = await reserveFor(context, request, attempt.access)
  const settle = once(() => settleAttempt(context, { request, attempt, reservation, world }))
  try {
    for await (const event of context.models.stream(toCall(context, request, attempt.access))) {
      context.signal.throwIfAborted()
      take(attempt, event)
      if (event.type === 'limits') continue
      // The cost is stored before the caller hears of the end.
      if (event.type === 'finish') await settle()
      else await keepWithin(context, reservation, attempt)
      yield event
    }
    if (!attempt.finish) throw new ModelError('interrupted', 'The model stopped in the middle of its answer')
  } catch (thrown) {
    // Our own hanging up says nothing about the vendor.
    if (!context.signal.aborted) attempt.error = thrown
    throw thrown
  } finally {
    await settle()
  }
}

function take(attempt: Attempt, event: ModelEvent): void {
  if (event.type === 'limits') attempt.headers = event.headers
  else if (event.type === 'finish') attempt.finish = event
  else attempt.began = true
  attempt.said += charactersOf(event)
  const tokens = mostTokensOf(event)
  attempt.said_tokens += tokens
  attempt.largest = Math.max(attempt.largest, tokens)
}

/** An answer that gets longer than was reserved for it goes on only while every budget has room: half as much again each time. */
async function keepWithin(context: Context, reservation: Reservation, attempt: Attempt): Promise<void> {
  const { input_tokens, output_tokens } = reservation.cost
  // Asked before it is needed: what comes next has to be paid for as well.
  const needed = attempt.said_tokens + attempt.largest
  if (!reservation.held || needed <= output_tokens) return
  const output = Math.ceil(needed * 1.5)
  const cost_usd = attempt.access.cost({ input: input_tokens, output })
  await extend(context, reservation, { input_tokens, output_tokens: output, cost_usd })
}

function reserveFor(context: Context, request: CallRequest, access: ModelAccess): Promise<Reservation> {
  const { content, spender } = request
  const estimate = (longest: number): Cost => {
    const tokens = { input: estimateInput(content), output: estimateOutput(content, longest) }
    return { input_tokens: tokens.input, output_tokens: tokens.output, cost_usd: access.cost(tokens) }
  }
  const { provider, model } = access
  return reserve(context, { provider, model, spender, estimate, own: request.agent?.budget ?? null })
}

function toCall({ signal }: Context, { content }: CallRequest, access: ModelAccess): ModelCall {
  const key = access.api_key ? { api_key: access.api_key } : {}
  const base = access.base_url ? { base_url: access.base_url } : {}
  return { ...content, provider: access.provider, model: access.model, ...key, ...base, signal }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= run()
    return done
  }
}

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

export type CallContent = Pick<
  ModelCall,
  'system' | 'messages' | 'tools' | 'temperature' | 'max_output_tokens'
>

/** About four characters to a token, the vendors' own rule of thumb for English. */
const tokensOf = (characters: number) => Math.ceil(characters / 4)

/** Characters that stand for the tokens of an image or document: 1,000 tokens. */
const fileLength = 4_000

/** What an answer is taken to be at least when its length is not limited further. */
const usualOutput = 1_000

/** Tokens that a call sends. */
export function estimateInput({ system, messages, tools }: CallContent): number {
  const lengths = messages.flatMap(({ content }) =>
    content.map((part) => (part.type === 'file' ? lengthOf(part) : JSON.stringify(part).length)),
  )
  return tokensOf(lengths.reduce((sum, length) => sum + length, system.length + JSON.stringify(tools).length))
}

/** A text counts by its length, as far as it is shown. */
const lengthOf = ({ mime_type, size_bytes, data }: FilePart): number =>
  isTextType(mime_type) ? Math.min(size_bytes ?? data.length, longestText) : fileLength

/** Tokens to reserve for the answer of an agent whose latest answers had at most `longest`. */
export function estimateOutput({ max_output_tokens }: CallContent, longest: number): number {
  const likely = Math.max(usualOutput, longest)
  return Math.min(max_output_tokens ?? likely, likely)
}

/** Tokens of what was said so far, for an answer that broke off before its counts came. */
export const estimateSaid = (characters: number): number => tokensOf(characters)

/**
 * Tokens of a text at most, near enough: outside of ASCII nearly every character is a token. What is spent is never
 * taken from this, but an answer is stopped by it when its budget is used up.
 */
export function mostTokensOf(event: ModelEvent): number {
  const text = wordsOf(event)
  const wide = text.match(/[\u0080-\uFFFF]/g)?.length ?? 0
  return wide + (text.length - wide) / 4
}

/** Characters that an event adds to the answer. */
export function charactersOf(event: ModelEvent): number {
  return wordsOf(event).length
}

function wordsOf(event: ModelEvent): string {
  if (event.type === 'text' || event.type === 'reasoning') return event.text
  return event.type === 'tool_call' ? event.name + JSON.stringify(event.input) : ''
}
