import type { MemoryHost } from '../../adapters/memory/host.ts'
import { changeAgent, requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import { ModelError, type ModelErrorCode } from '../../runtime/ports/models.ts'
import { accessTo } from '../../runtime/providers/access.ts'
import { type CallEvent, type CallRequest, callModel } from '../../runtime/providers/call.ts'
import { changePrices, configureProvider } from '../../runtime/providers/providers.ts'
import type { Agent } from '../../runtime/tools/agent.ts'

/** Gives these providers a key, in this order, and their model `m` a price in USD per million tokens. */
export async function configure(host: MemoryHost, providers: ProviderId[], price = { input: 1, output: 10 }) {
  const context = localContext(host)
  for (const provider of providers) {
    await configureProvider(context, { provider, api_key: `sk-test-of-${provider}`, default_model: 'm' })
    await changePrices(context, provider, {
      prices: { m: { input_usd_per_mtok: price.input, output_usd_per_mtok: price.output } },
    })
  }
}

/** Changes the default agent. */
export async function configureAgent(host: MemoryHost, changes: Parameters<typeof changeAgent>[2]): Promise<Agent> {
  const context = localContext(host)
  const { id } = await requireDefaultAgent(context)
  return changeAgent(context, id, changes)
}

/** A small call in the name of the chat. */
export async function request(
  host: MemoryHost,
  provider: string,
  more: Partial<CallRequest> = {},
): Promise<CallRequest> {
  return {
    access: await accessTo(host, provider, 'm'),
    content: {
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Good morning' }] }],
      tools: [],
    },
    spender: { category: 'chat' },
    ...more,
  }
}

/** All that came of a call, in one word each, and the error's code when it failed. */
export async function collect(events: AsyncIterable<CallEvent>): Promise<string[]> {
  const seen: string[] = []
  try {
    for await (const event of events) seen.push(tell(event))
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    seen.push(`! ${thrown.code}`)
  }
  return seen
}

function tell(event: CallEvent): string {
  if (event.type === 'text') return event.text
  return event.type === 'fallback' ? `${event.from} → ${event.to}: ${event.reason}` : event.type
}

/** Calls the model `m` of a provider once and tells what came of it. */
export async function ask(host: MemoryHost, provider: string, more: Partial<CallRequest> = {}): Promise<string[]> {
  return collect(callModel(localContext(host), await request(host, provider, more)))
}

export const failing = (code: ModelErrorCode, retryAfterSeconds?: number) => [
  new ModelError(code, `${code} by script`, { retry_after_seconds: retryAfterSeconds }),
]

/** The rows of the ledger, oldest first. */
export const ledger = (host: MemoryHost) =>
  host.sql.read<{
    status: string
    provider: string
    model: string
    category: string
    input_tokens: number
    output_tokens: number
    cost_usd: number
    reserved_usd: number
    estimated: number
    error: string | null
    message_id: string | null
  }>('SELECT * FROM model_calls ORDER BY id')
