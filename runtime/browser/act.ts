import type { Context } from '../context.ts'
import { readSection } from '../settings/section.ts'
import type { Action, ActionResult } from './schema.ts'
import { browserConfig } from './settings.ts'
import { withBrowser } from './use.ts'

/** Does one act, and looks at the page afterwards where the configuration says so. */
export function actInBrowser(context: Context, action: Action): Promise<ActionResult> {
  return withBrowser(context, async (browser) => {
    const begun = context.clock.now()
    const shown = await browser.act(action, { signal: context.signal })
    const duration_ms = context.clock.now() - begun
    const { auto_snapshot } = await readSection(context, browserConfig)
    const of = action.tab_id === undefined ? {} : { tab_id: action.tab_id }
    const view = auto_snapshot ? { snapshot: (await browser.snapshot(of)).snapshot } : {}
    return { success: true, action: action.action, ...shown, duration_ms, ...view }
  })
}
