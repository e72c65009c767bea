import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'
import type { ActOptions, Browser } from '../../ports/browser.ts'
import { second } from '../../time.ts'
import type { Action, ActionName } from '../schema.ts'
import { withBrowser } from '../use.ts'
import type { RecordedStep, ReplayStep } from './schema.ts'
import { filledIn } from './steps.ts'

/** Milliseconds; people go away from their desks. */
const longestPause = 10 * second
/** Milliseconds for an element to appear. */
const patience = 10 * second

/** What has happened already, or never does, is not waited for long: each step waits for its own element. */
const waits: Partial<Record<ActionName, number>> = {
  wait_for_navigation: 2 * second,
  wait_for_network_idle: 5 * second,
}

export interface Stage {
  context: Context
  variables: Readonly<Record<string, string>>
  tabs: TabMap
  speed: number
  /** When the step before had ended, in milliseconds since the start of the recording. */
  ended_ms: number
}

/** Does one step again, after the pause that the person made. Throws only when the replay is cancelled. */
export async function playStep(stage: Stage, step: RecordedStep, blank: ReplayStep): Promise<ReplayStep> {
  const { context } = stage
  const { clock, signal } = context
  const pause = stage.speed === 0 ? 0 : Math.min(longestPause, (step.at_ms - stage.ended_ms) / stage.speed)
  stage.ended_ms = step.at_ms + step.duration_ms
  await clock.after(pause, signal)
  const begun = clock.now()
  const ended = (result: Partial<ReplayStep>): ReplayStep => ({
    ...blank,
    duration_ms: clock.now() - begun,
    ...result,
  })
  try {
    const locator_used = await withBrowser(context, (browser) => again(browser, stage, step))
    return ended({ status: 'completed', locator_used })
  } catch (thrown) {
    signal.throwIfAborted()
    if (!(thrown instanceof Fault)) throw thrown
    if (waits[step.action.action] && thrown.extra.code === 'timeout') return ended({ status: 'completed' })
    return ended({ status: 'failed', error: withoutValues(thrown.message, stage.variables) })
  }
}

async function again(
  browser: Browser,
  stage: Stage,
  { action, element, drop }: RecordedStep,
): Promise<string | null> {
  const tab_id = await stage.tabs.tabFor(browser, action.tab_id)
  const timeout_ms = waits[action.action] ?? action.timeout_ms ?? (element ? patience : undefined)
  const filled = filledIn(action, stage.variables)
  const { tab_id: _, timeout_ms: __, ...rest } = filled
  const act: Action = { ...rest, ...(timeout_ms ? { timeout_ms } : {}), ...(tab_id ? { tab_id } : {}) }
  const options: ActOptions = { signal: stage.context.signal }
  if (element) options.element = element
  if (drop) options.drop = drop
  const { locator_used } = await browser.act(act, options)
  return locator_used ?? null
}

/** A message may quote what was typed. */
function withoutValues(message: string, variables: Stage['variables']): string {
  return Object.entries(variables)
    .filter(([, value]) => value.length >= 3)
    .reduce((text, [name, value]) => text.replaceAll(value, `{{${name}}}`), message)
}

/** Which tab of now stands for which of then: the first for the active one, later ones for those that steps opened. */
export class TabMap {
  readonly #now = new Map<string, string>()

  /** Undefined for the active tab. */
  async tabFor(browser: Browser, then: string | undefined): Promise<string | undefined> {
    if (then === undefined) return undefined
    const tabs = await browser.tabs()
    const known = this.#now.get(then)
    if (known && tabs.some(({ id }) => id === known)) return this.#activate(browser, tabs, known)
    const taken = new Set(this.#now.values())
    const free = tabs.filter(({ id }) => !taken.has(id))
    const first = this.#now.size === 0 ? free.find(({ active }) => active) : undefined
    const tab =
      first ?? (this.#now.size > 0 ? free.at(-1) : undefined) ?? (await browser.openTab({ activate: true }))
    this.#now.set(then, tab.id)
    return tab.id
  }

  async #activate(
    browser: Browser,
    tabs: readonly { id: string; active: boolean }[],
    id: string,
  ): Promise<string> {
    if (!tabs.some((tab) => tab.id === id && tab.active)) await browser.activateTab(id)
    return id
  }
}
