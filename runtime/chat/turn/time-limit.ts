import type { Context } from '../../context.ts'
import { agentSettings } from '../../settings/agent.ts'
import { readSection } from '../../settings/section.ts'
import { second } from '../../time.ts'
import { TurnError } from './turn-error.ts'

/** A context whose signal also aborts when an answer takes longer than the settings allow; `end` takes the limit away. */
export async function withinLimit(context: Context): Promise<{ context: Context; end(): void }> {
  const { timeout_seconds } = await readSection(context, agentSettings)
  const late = new AbortController()
  const done = new AbortController()
  context.clock.after(timeout_seconds * second, done.signal).then(
    () => late.abort(new TurnError('timeout', `The answer took longer than ${timeout_seconds} s`)),
    () => undefined,
  )
  const signal = AbortSignal.any([context.signal, late.signal])
  return { context: { ...context, signal }, end: () => done.abort() }
}
