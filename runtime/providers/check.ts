import type { Context } from '../context.ts'
import { ModelError } from '../ports/models.ts'
import { iso, second } from '../time.ts'
import { accessTo, type ModelAccess } from './access.ts'
import { callModel } from './call.ts'
import type { ProviderId, ProviderModel, TestResult } from './schema.ts'
import { saveModels, saveTest } from './store.ts'

const patience = 20 * second

/** Sends one short message to the provider's default model, and remembers how it went. */
export async function checkProvider(context: Context, id: ProviderId): Promise<TestResult> {
  const begun = context.clock.now()
  const outcome = await withPatience(context, (signal) => askOnce(context, id, signal))
  const result: TestResult = { ...outcome, latency_ms: Math.round(context.clock.now() - begun) }
  const test = { ...result, at: iso(context.clock.now()) }
  await context.commit([saveTest(id, test)], [{ type: 'provider.updated', data: { provider: id } }])
  return result
}

type Outcome = Omit<TestResult, 'latency_ms'>

async function askOnce(context: Context, id: ProviderId, signal: AbortSignal): Promise<Outcome> {
  let access: ModelAccess | null = null
  try {
    access = await accessTo(context, id, null)
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with the word ok.' }] },
    ]
    const content = { system: '', messages, tools: [] }
    const request = { access, content, spender: { category: 'internal' as const }, alone: true }
    for await (const event of callModel({ ...context, signal }, request)) {
      if (event.type === 'text' || event.type === 'finish') break
    }
    return { ok: true, model: access.model, error: null }
  } catch (thrown) {
    return { ok: false, model: access?.model ?? null, error: reason(thrown) }
  }
}

const reason = (thrown: unknown) =>
  thrown instanceof ModelError
    ? `${thrown.code}: ${thrown.message}`
    : 'internal_error: the test could not be made'

async function withPatience<T>(context: Context, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const done = new AbortController()
  const late = new AbortController()
  context.clock.after(patience, done.signal).then(
    () => late.abort(new ModelError('timeout', `No answer within ${patience / second} s`)),
    () => undefined,
  )
  try {
    return await run(AbortSignal.any([context.signal, late.signal]))
  } finally {
    done.abort()
  }
}

/** Asks the vendor which models it has, and remembers the list. Throws `ModelError`. */
export async function refreshModels(context: Context, id: ProviderId): Promise<ProviderModel[]> {
  const names = await withPatience(context, async (signal) =>
    context.models.list({ ...(await keyOf(context, id)), provider: id, signal }),
  )
  const models = names.map((name) => ({
    id: name,
    context_tokens: null,
    input_usd_per_mtok: null,
    output_usd_per_mtok: null,
  }))
  await context.commit([saveModels(id, models, iso(context.clock.now()))])
  return models
}

/** A local server may have no default model yet: any name will do to reach its list. */
async function keyOf(context: Context, id: ProviderId): Promise<{ api_key?: string; base_url?: string }> {
  const { api_key, base_url } = await accessTo(context, id, '')
  return { ...(api_key ? { api_key } : {}), ...(base_url ? { base_url } : {}) }
}
