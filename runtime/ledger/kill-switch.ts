import { z } from 'zod'
import type { Context } from '../context.ts'
import { eventsTopic } from '../events/event.ts'
import type { Host } from '../host.ts'
import { ModelError } from '../ports/models.ts'
import { changeSection, readSection, type Section } from '../sections/section.ts'
import { iso } from '../time.ts'

export const KillSwitch = z.object({
  paused: z.boolean(),
  changed_at: z.string().nullable(),
  changed_by: z.string().nullable(),
})
export type KillSwitch = z.output<typeof KillSwitch>

/** Stored like a settings section, but not part of them: an import must not turn model calls back on. */
const section: Section<typeof KillSwitch> = {
  name: 'kill_switch',
  title: 'the switch that stops all model calls',
  schema: KillSwitch,
  defaults: () => ({ paused: false, changed_at: null, changed_by: null }),
}

export const readKillSwitch = (host: Host): Promise<KillSwitch> => readSection(host, section)

/** Stops all model calls at once, including running ones, or allows them again. */
export const setKillSwitch = (context: Context, paused: boolean): Promise<KillSwitch> =>
  changeSection(context, section, {
    paused,
    changed_at: iso(context.clock.now()),
    changed_by: context.caller.name,
  })

const stopped = () =>
  new ModelError('provider_unavailable', 'All model calls are paused; resume them in Settings → Spending', {
    transient: true,
  })

export interface Watch {
  /** Aborts with a `ModelError` when the switch is turned on, and with the context's signal. */
  signal: AbortSignal
  close(): void
}

/** Throws if calls are paused; until `close`, the signal aborts when they are paused. */
export async function watchKillSwitch(context: Context): Promise<Watch> {
  const abort = new AbortController()
  const check = async () => {
    if ((await readKillSwitch(context)).paused) abort.abort(stopped())
  }
  const subscription = context.bus.subscribe(eventsTopic, ({ type, data }) => {
    if (type !== 'settings.updated' || (data as { section?: string }).section !== section.name) return
    // If the database cannot be read, settling the call fails.
    check().catch(() => undefined)
  })
  await check().catch((thrown: unknown) => {
    subscription.close()
    throw thrown
  })
  if (!abort.signal.aborted)
    return { signal: AbortSignal.any([context.signal, abort.signal]), close: () => subscription.close() }
  subscription.close()
  throw abort.signal.reason
}
