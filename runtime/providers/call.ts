import type { Context } from '../context.ts'
import { documentsAsText, isTextType, maxText } from '../files/index.ts'
import { watchKillSwitch } from '../ledger/kill-switch.ts'
import { extend, type Reservation, reserve, settle } from '../ledger/ledger.ts'
import { keepRequest, type PromptSizes, type SentRequest, sentRequest } from '../ledger/request-store.ts'
import type { CallEnd, Cost } from '../ledger/schema.ts'
import type { Spender } from '../ledger/spender.ts'
import { measurements } from '../measurements.ts'
import type { Clock } from '../ports/clock.ts'
import {
  type ArgumentNames,
  type FilePart,
  type ModelCall,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
} from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import type { Span } from '../ports/tracer.ts'
import { iso, minute, second } from '../time.ts'
import type { Agent } from '../tools/agent.ts'
import { type ModelAccess, readsFiles } from './access.ts'
import { coolDown, cooldownKey, mayMoveOn, retryWait } from './failover.ts'
import type { ProviderWorld } from './limits.ts'
import { nameOf, planWhenOpen } from './plan.ts'
import { postponement } from './postpone.ts'
import { clearCooldown, saveArguments, saveCooldown, saveReadings } from './store.ts'
import { readLimits } from './utilization.ts'

/** The cost of one call, by model. */
export interface CallUsage extends Cost {
  provider: string
  model: string
}

export interface CallRequest {
  /** The model to call first. */
  access: ModelAccess
  content: CallContent
  spender: Spender
  /** The agent's fallbacks and its own budget apply. */
  agent?: Pick<Agent, 'model' | 'budget'> | null
  /** Calls this model and no other, whatever its state: a connection test. */
  alone?: boolean
  /**
   * The longest wait in milliseconds that the caller, a unit of work, prefers to an error that will pass: then the call
   * throws `Postponed` instead, and the unit continues when the vendor can be called. Default 0.
   */
  max_wait?: number
  /** Steps that the unit of work has completed: a wait for a broken answer counts only while it makes no progress. Default 0. */
  step?: number
  /** Called with the cost of each call; the statements it returns are part of the commit of that cost. */
  spent?(usage: CallUsage): Statement[]
}

/** The call continues with another model; both names are `provider/model`. */
export interface Fallback {
  type: 'fallback'
  from: string
  to: string
  /** A `ModelErrorCode`, `cooldown`, `near_limit` or `unconfigured`. */
  reason: string
}

/** The same model is called again after a wait. */
export interface Retry {
  type: 'retry'
  /** `provider/model` */
  model: string
  reason: ModelErrorCode
  seconds: number
  /** The provider named the time. */
  asked: boolean
}

/** The server answers since some arguments are left out or have other names. */
export interface Adjusted {
  type: 'adjusted'
  /** By model, or `*` for all models of the server. */
  learned: Record<string, ArgumentNames>
}

export type CallEvent = Exclude<ModelEvent, { type: 'limits' }> | Fallback | Retry | Adjusted

/** One request to a vendor, while it runs. */
interface Attempt {
  access: ModelAccess
  /** What refusals just before have shown about the server's arguments; true if this attempt is answered. */
  learned: Record<string, ArgumentNames>
  /** Received so far. */
  characters: number
  /** Upper bound of their tokens. */
  max_tokens: number
  /** The same for the largest event. */
  largest: number
  /** Something was passed on to the caller, so no other model can take over. */
  began: boolean
  /** Milliseconds since the epoch; the first part of the answer is null until it arrives. */
  started_at: number
  first_at: number | null
  span: Span | undefined
  finish: Extract<ModelEvent, { type: 'finish' }> | null
  headers: Record<string, string>
  error: unknown
  /** What was sent; null if it was nothing, or nothing yet. */
  sent: Promise<SentRequest> | null
}

/**
 * Calls a model; every model call of the program goes through here. In order: the kill switch, the plan of
 * whom to call, a reservation in every budget, the call, and its cost. Each candidate is called once, and the
 * next one only while nothing has been streamed; the last one is called again after a short wait if its error
 * may be temporary. A model whose server refuses an argument is called again without it, which is an `adjusted` event. Every
 * change of the model is a `fallback` event, every wait a `retry` event. Throws `ModelError`, or `Postponed` if the caller
 * has a `max_wait`.
 */
export async function* callModel(context: Context, request: CallRequest): AsyncGenerator<CallEvent, void> {
  const { access, agent, max_wait = 0, step = 0 } = request
  let began = false
  try {
    for await (const event of callInTurn(context, request)) {
      began ||= event.type !== 'fallback' && event.type !== 'retry'
      yield event
    }
  } catch (thrown) {
    const request = { access, fallbacks: agent?.model.fallbacks, max_wait, step, began }
    throw (await postponement(context, request, thrown)) ?? thrown
  }
}

async function* callInTurn(outer: Context, input: CallRequest): AsyncGenerator<CallEvent, void> {
  const watch = await watchKillSwitch(outer)
  const context = { ...outer, signal: watch.signal }
  try {
    const plan = await planWhenOpen(context, {
      access: input.access,
      fallbacks: input.agent?.model.fallbacks,
      alone: input.alone,
      patient: input.max_wait !== undefined && input.max_wait > 0,
    })
    let queue = plan.candidates
    let from = nameOf(input.access)
    let { reason } = plan
    let retries = 0
    let learned: Attempt['learned'] = {}
    for (let access = queue.shift(); access; access = queue.shift()) {
      const to = nameOf(access)
      if (to !== from) yield { type: 'fallback', from, to, reason }
      const attempt = newAttempt(access, learned)
      const request = { ...input, content: await readableContent(context, input.content, access) }
      const reservation = await reserveFor(context, request, access)
      attempt.started_at = context.clock.now()
      attempt.span = context.tracer?.start(`chat ${access.model}`, context.span, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': access.provider,
        'gen_ai.request.model': access.model,
      })
      const settle = once(() => settleAttempt(context, { request, attempt, reservation, world: plan.world }))
      try {
        for await (const event of context.models.stream(toCall(context, request, attempt))) {
          context.signal.throwIfAborted()
          take(attempt, event, context.clock)
          if (event.type === 'limits') continue
          if (Object.keys(learned).length > 0) yield { type: 'adjusted', learned }
          learned = {}
          // The cost is stored before the caller is notified of the end.
          if (event.type === 'finish') await settle()
          else if (needsMore(reservation, attempt)) await extendReservation(context, reservation, attempt)
          yield event
        }
        if (attempt.finish) return
        throw new ModelError('interrupted', `${to} stopped in the middle of its answer`)
      } catch (thrown) {
        // A call that we aborted says nothing about the vendor.
        if (!context.signal.aborted) attempt.error = thrown
        if (attempt.began || context.signal.aborted || !(thrown instanceof ModelError)) throw thrown
        const lesson = adjust(access, thrown)
        if (lesson) {
          learned = merge(learned, lesson)
          queue.unshift(access)
          from = to
          continue
        }
        learned = {}
        queue = queue.filter(mayFollow(access, thrown))
        if (queue.length === 0) {
          const wait = request.alone || request.max_wait ? null : retryWait(thrown, retries)
          if (wait === null) throw thrown
          retries += 1
          await settle()
          const isVendorTime = thrown.retry_after_seconds !== undefined
          yield { type: 'retry', model: to, reason: thrown.code, seconds: wait / second, asked: isVendorTime }
          await context.clock.after(wait, context.signal)
          queue = [access]
        }
        from = to
        reason = thrown.code
      } finally {
        await settle()
      }
    }
  } catch (thrown) {
    const { aborted, reason } = watch.signal
    throw aborted && reason instanceof ModelError ? reason : thrown
  } finally {
    watch.close()
  }
}

/**
 * Takes over what a refusal shows about the server's arguments; null if that is nothing new. The access keeps it, so that
 * the caller's next call with it is right at once.
 */
function adjust(access: ModelAccess, { arguments: lesson }: ModelError): Attempt['learned'] | null {
  const names = access.arguments ?? {}
  if (!lesson || Object.entries(lesson.names).every(([usual, name]) => names[usual] === name)) return null
  access.arguments = { ...names, ...lesson.names }
  return { [lesson.of_model ? access.model : '*']: lesson.names }
}

function merge(left: Attempt['learned'], right: Attempt['learned']): Attempt['learned'] {
  const merged = Object.entries(right).map(([model, names]) => [model, { ...left[model], ...names }])
  return { ...left, ...Object.fromEntries(merged) }
}

/**
 * Whether a candidate may be called after another failed. A refused key is refused for all models of its
 * provider.
 */
const mayFollow =
  (failed: ModelAccess, thrown: unknown) =>
  ({ provider }: ModelAccess): boolean => {
    if (!(thrown instanceof ModelError) || !mayMoveOn(thrown.code)) return false
    return provider !== failed.provider || (thrown.code !== 'auth' && thrown.code !== 'billing')
  }

const newAttempt = (access: ModelAccess, learned: Attempt['learned']): Attempt => ({
  access,
  learned,
  characters: 0,
  max_tokens: 0,
  largest: 0,
  began: false,
  started_at: 0,
  first_at: null,
  span: undefined,
  finish: null,
  headers: {},
  error: null,
  sent: null,
})

function take(attempt: Attempt, event: ModelEvent, clock: Clock): void {
  if (event.type === 'limits') attempt.headers = event.headers
  else if (event.type === 'finish') attempt.finish = event
  else {
    const text = event.type === 'tool_call' ? event.name + JSON.stringify(event.input) : event.text
    const tokens = maxTokensOf(text)
    attempt.began = true
    attempt.first_at ??= clock.now()
    attempt.characters += text.length
    attempt.max_tokens += tokens
    attempt.largest = Math.max(attempt.largest, tokens)
  }
}

/** Reserved before the current reservation is used up, because the next part has to be paid for too. */
const tokensNeeded = ({ max_tokens, largest }: Attempt) => max_tokens + largest

const needsMore = ({ reserved, cost }: Reservation, attempt: Attempt): boolean =>
  reserved && tokensNeeded(attempt) > cost.output_tokens

/**
 * An answer that gets longer than its reservation continues only while every budget has room, half as much
 * again each time.
 */
async function extendReservation(context: Context, reservation: Reservation, attempt: Attempt): Promise<void> {
  const { input_tokens } = reservation.cost
  const output = Math.ceil(tokensNeeded(attempt) * 1.5)
  const cost_usd = attempt.access.cost({ input: input_tokens, output })
  await extend(context, reservation, { input_tokens, output_tokens: output, cost_usd })
}

function reserveFor(context: Context, request: CallRequest, access: ModelAccess): Promise<Reservation> {
  const { content, spender } = request
  const estimate = (longest: number): Cost => {
    const tokens = { input: estimateInput(content), output: estimateOutput(content, longest) }
    return { input_tokens: tokens.input, output_tokens: tokens.output, cost_usd: access.cost(tokens) }
  }
  const { provider, model, priced } = access
  return reserve(context, { provider, model, priced, spender, estimate, own: request.agent?.budget ?? null })
}

/** A fallback may not read the documents that the first model reads. */
const readableContent = async (context: Context, content: CallContent, access: ModelAccess): Promise<CallContent> => ({
  ...content,
  messages: await documentsAsText(context, content.messages, readsFiles(access)),
})

function toCall({ signal }: Context, { content }: CallRequest, attempt: Attempt): ModelCall {
  const { access } = attempt
  const key = access.api_key ? { api_key: access.api_key } : {}
  const base = access.base_url ? { base_url: access.base_url } : {}
  const names = access.arguments ? { arguments: access.arguments } : {}
  const size = access.context_tokens === null ? {} : { context_tokens: access.context_tokens }
  return {
    ...content,
    provider: access.provider,
    model: access.model,
    ...size,
    ...key,
    ...base,
    ...names,
    sent(body) {
      attempt.sent = sentRequest(sizesOf(content), body)
    },
    signal,
  }
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

/** Stores the cost of a call, and what it has shown about its model and provider, in one commit. */
async function settleAttempt(context: Context, ended: Ended): Promise<void> {
  const { request, attempt, reservation } = ended
  const { provider, model } = attempt.access
  const end = endOf(request, attempt)
  const { input_tokens, output_tokens, cost_usd } = end
  const spent = request.spent?.({ provider, model, input_tokens, output_tokens, cost_usd }) ?? []
  const now = context.clock.now()
  const { id, at, spender } = reservation.call
  const call = { id, at: iso(at), conversation_id: spender.conversation_id ?? null }
  const sent = await attempt.sent
  const learned = [
    ...(sent ? keepRequest(call, sent) : []),
    ...healthStatements(ended, now),
    ...limitStatements(attempt, now),
    ...argumentStatements(context, attempt),
  ]
  attempt.span?.set({
    'gen_ai.usage.input_tokens': end.input_tokens,
    'gen_ai.usage.output_tokens': end.output_tokens,
    'model.cost_usd': end.cost_usd,
  })
  attempt.span?.end(end.error ?? (end.status === 'cancelled' ? 'cancelled' : undefined))
  if (end.status !== 'cancelled') {
    const { started_at, first_at } = attempt
    const first = first_at === null ? null : first_at - started_at
    const timing = { failed: end.status === 'failed', took: now - started_at, first }
    measurements(context).model(now, model, timing)
    context.metrics.observe('model_call_duration_seconds', { model }, timing.took / second)
    if (first !== null) context.metrics.observe('model_first_token_seconds', { model }, first / second)
  }
  await settle(context, reservation, { end, statements: [...spent, ...learned] })
}

function endOf(request: CallRequest, attempt: Attempt): CallEnd {
  const { finish, error } = attempt
  const cost = { ...costOf(request, attempt), cached_tokens: finish?.cached_tokens ?? 0 }
  const code = error instanceof ModelError ? error.code : null
  if (finish) return { ...cost, status: 'succeeded', estimated: finish.estimated === true, error: null }
  const status = code === null || code === 'cancelled' ? 'cancelled' : 'failed'
  return { ...cost, status, estimated: attempt.began, error: code }
}

/** An interrupted answer costs what had arrived; a refused call costs nothing. */
function costOf({ content }: CallRequest, { access, finish, began, characters }: Attempt): Cost {
  const tokens = {
    input: finish?.input_tokens ?? (began ? estimateInput(content) : 0),
    output: finish?.output_tokens ?? (began ? tokensOf(characters) : 0),
    cached: finish?.cached_tokens,
    cache_write: finish?.cache_write_tokens,
  }
  return { input_tokens: tokens.input, output_tokens: tokens.output, cost_usd: access.cost(tokens) }
}

function healthStatements({ request, attempt, world }: Ended, now: number): Statement[] {
  const { access, finish, error } = attempt
  const { provider, model } = access
  const keys = [cooldownKey(provider, model), cooldownKey(provider, '*')]
  if (finish) return keys.some((key) => world.cooldowns.has(key)) ? [clearCooldown(provider, model)] : []
  // A failed connection test may be about a key that is not stored.
  if (!(error instanceof ModelError) || error.arguments || request.alone) return []
  const before = keys.map((key) => world.cooldowns.get(key)).find((cooldown) => cooldown?.code === error.code)
  const cooldown = coolDown(error, before, now)
  if (!cooldown) return []
  return [saveCooldown(provider, cooldown.scope === 'provider' ? '*' : model, cooldown.cooldown)]
}

/** Stored once the server has answered without what it refused. */
function argumentStatements(context: Context, { access, learned, began, finish }: Attempt): Statement[] {
  if (Object.keys(learned).length === 0 || (!began && !finish)) return []
  const { provider, model } = access
  context.log.write('info', 'the server takes some arguments in its own way', { provider, model, learned })
  return [saveArguments(access, learned)]
}

/** A requested wait this long means that the account's limit is used up, not one model's rate. */
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
  | 'system'
  | 'messages'
  | 'tools'
  | 'temperature'
  | 'max_output_tokens'
  | 'first_token_seconds'
  | 'cache_key'
  | 'timezone'
  | 'language'
>

/** About four characters to a token, the vendors' own rule of thumb for English. */
const tokensOf = (characters: number) => Math.ceil(characters / 4)

/** Characters assumed for an image or document: 1,000 tokens. */
const fileLength = 4_000

/** The shortest estimate of an answer, in tokens. */
const usualOutput = 1_000

/** The characters that a call sends. */
function sizesOf({ system, messages, tools }: CallContent): PromptSizes {
  const sizes = {
    system: system.length,
    tools: tools.reduce((sum, tool) => sum + lengthOfTool(tool), 2),
    memory: 0,
    history: 0,
    attachments: 0,
  }
  for (const message of messages) {
    const { notes = '', memories = 0 } = message.role === 'user' ? message : {}
    sizes.system += notes.length - memories
    sizes.memory += memories
    for (const part of message.content)
      if (part.type === 'file') sizes.attachments += lengthOf(part)
      else sizes.history += JSON.stringify(part).length
  }
  return sizes
}

const schemaLengths = new WeakMap<object, number>()

/** The length of a tool in JSON; its schema is the same object in every call. */
function lengthOfTool({ input_schema, name, description }: CallContent['tools'][number]): number {
  const length = schemaLengths.get(input_schema) ?? JSON.stringify(input_schema).length
  schemaLengths.set(input_schema, length)
  return length + name.length + description.length + 45
}

/** The tokens that a call sends. */
export const estimateInput = (content: CallContent): number =>
  tokensOf(Object.values(sizesOf(content)).reduce((sum, size) => sum + size, 0))

/** A text counts with the length that the model gets. */
const lengthOf = ({ mime_type, size_bytes, data }: FilePart): number =>
  isTextType(mime_type) ? Math.min(size_bytes ?? data.length, maxText) : fileLength

/** Tokens to reserve for the answer of an agent whose latest answers had at most `longest`. */
export function estimateOutput({ max_output_tokens }: CallContent, longest: number): number {
  const likely = Math.max(usualOutput, longest)
  return Math.min(max_output_tokens ?? likely, likely)
}

/**
 * A rough upper bound of a text's tokens: outside ASCII, nearly every character is a token. It stops an
 * answer whose budget is used up; costs are never taken from it.
 */
export function maxTokensOf(text: string): number {
  const wide = text.match(/[\u0080-\uFFFF]/g)?.length ?? 0
  return wide + (text.length - wide) / 4
}
