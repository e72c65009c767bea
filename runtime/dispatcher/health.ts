import { requireDefaultAgent } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { percentile } from '../numbers.ts'
import { connectedModel } from '../providers/index.ts'
import { readSection } from '../sections/section.ts'
import { day, iso } from '../time.ts'
import { type DispatcherHealth, dispatcherSettings } from './schema.ts'
import { embeddingState, examples } from './similar.ts'
import { decisionsSince } from './store.ts'

/** What the dispatcher decides with, and the caller's decisions of the last day. */
export async function dispatcherHealth(context: Context): Promise<DispatcherHealth> {
  const { enabled } = await readSection(context, dispatcherSettings)
  const model = await connectedModel(context, await requireDefaultAgent(context))
  const recent = await decisionsSince(context, iso(context.clock.now() - day))
  const latencies = recent.map(({ latency_ms }) => latency_ms).sort((left, right) => left - right)
  const failing = recent.length > 0 && recent.every(({ status }) => status === 'failed')
  return {
    status: failing ? 'degraded' : 'healthy',
    message: failing ? 'Every sentence of the last 24 hours failed' : null,
    enabled,
    examples: examples.length,
    embeddings: embeddingState(context),
    model: model?.provider ?? null,
    decisions_24h: {
      total: recent.length,
      by_method: countBy(recent.map(({ method }) => method)),
      by_status: countBy(recent.map(({ status }) => status)),
    },
    latency_ms: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
  }
}

const countBy = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))
