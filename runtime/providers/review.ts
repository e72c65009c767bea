import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { conflict } from '../fault.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { ProviderUsage } from './backup-schema.ts'
import { assign, heatOf } from './failover.ts'
import { markFailedOver, markReturned } from './limit-store.ts'
import type { ProviderId } from './schema.ts'
import { type ProviderWorld, readWorld, showUsage } from './standing.ts'

/** Reads where calls go now, and records every provider that has failed over or returned since the last look. */
export async function reviewProviders(context: Context): Promise<ProviderWorld> {
  const world = await readWorld(context)
  const away = [...world.standings].filter(([, { failed_over }]) => failed_over).map(([provider]) => provider)
  for (const provider of new Set([...Object.keys(world.settings.rules), ...away]))
    await review(context, provider, world)
  return world
}

async function review(context: Context, provider: string, world: ProviderWorld): Promise<void> {
  const { failed_over, use, heat } = assign(provider, world)
  if (failed_over === (world.standings.get(provider)?.failed_over ?? false)) return
  const to = typeof use === 'object' && use ? `${use.provider}/${use.model}` : null
  if (failed_over)
    return record(context, markFailedOver(provider, iso(world.now)), {
      type: 'provider.failover',
      data: { provider, to, heat },
    })
  return record(context, markReturned(provider), {
    type: 'provider.returned',
    data: { provider, by: 'limit' },
  })
}

async function record(context: Context, statement: Statement, event: EventInput): Promise<void> {
  try {
    await context.commit([statement], [event])
  } catch (thrown) {
    // Another call saw it first.
    if (!(thrown instanceof GuardFailed)) throw thrown
  }
}

/** Moves a provider back to primary by hand. 409 while it is near its limit; unchanged when it never left. */
export async function returnProvider(context: Context, provider: ProviderId): Promise<ProviderUsage> {
  const world = await readWorld(context)
  const heat = heatOf(world.settings, world.standings.get(provider), world.now)
  if (heat !== 'cool') throw conflict(`${provider} is still near its limit`, { heat: { level: heat } })
  if (world.standings.get(provider)?.failed_over) {
    const event = { type: 'provider.returned', data: { provider, by: 'person' } }
    await record(context, markReturned(provider), event)
  }
  const usage = (await showUsage(context)).find((one) => one.provider === provider)
  if (!usage) throw new Error(`no usage of ${provider}`)
  return usage
}
