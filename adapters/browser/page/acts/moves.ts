import type { Frame } from 'playwright'
import { BrowserFailure } from '../../../../runtime/ports/browser.ts'
import { askPage } from '../apart.ts'
import { standing } from '../navigation.ts'
import { type Act, left, type Stage, targetOf } from './act.ts'

/** A page counts as open when its document is there; what loads on for ever holds nobody up. */
const begun = (stage: Stage) => ({ waitUntil: 'commit' as const, timeout: left(stage) })
const opened = (stage: Stage) => standing(stage.page, left(stage))

export const goto: Act = async (stage) => {
  const { page, action, allow } = stage
  await page.goto(await allow(action.url ?? ''), begun(stage))
  await opened(stage)
}

const moving =
  (move: 'goBack' | 'goForward', where: string): Act =>
  async (stage) => {
    const before = stage.page.url()
    const response = await stage.page[move](begun(stage))
    await opened(stage)
    const now = stage.page.url()
    // The page of an earlier failure may come up in this very moment: that is no step of ours.
    if (response || (now !== before && !now.startsWith('chrome-error:'))) return
    throw new BrowserFailure(
      'navigation_failed',
      `There is no page to go ${where} to`,
      'Use goto with an address',
    )
  }

export const goBack = moving('goBack', 'back')
export const goForward = moving('goForward', 'forward')

export const reload: Act = async (stage) => {
  await stage.page.reload(begun(stage))
  await opened(stage)
}

export const waitForSelector: Act = async (stage) => {
  const element = await targetOf(stage)
  await element.waitForElementState('visible', { timeout: left(stage) })
}

/** Resolves with the next page, or at once when one is being opened. */
export const waitForNavigation: Act = async (stage) => {
  const { page } = stage
  const loading = await askPage(page, () => document.readyState === 'loading').catch(() => true)
  if (loading) return opened(stage)
  const predicate = (frame: Frame) => frame === page.mainFrame()
  await page
    .waitForEvent('framenavigated', { predicate, timeout: left(stage) })
    .catch(({ message }: Error) => {
      if (!/Timeout/.test(message)) throw new Error(message)
      const hint =
        'Take a snapshot: what was awaited may be there already, or give it more time with timeout_ms'
      throw new BrowserFailure('timeout', 'No other page was opened in time', hint)
    })
  await opened(stage)
}

/** A page that polls is never idle: the wait has a bound and says so. */
export const waitForNetworkIdle: Act = async (stage) => {
  await stage.page.waitForLoadState('networkidle', { timeout: left(stage) }).catch((thrown: Error) => {
    if (!/Timeout/i.test(thrown.message)) throw thrown
    const hint = 'The page may load without end; go on, or wait for what you need with wait_for_selector'
    throw new BrowserFailure('timeout', 'The network did not come to rest in time', hint)
  })
}

export const handleDialog: Act = ({ page, action, dialogs }) =>
  dialogs.answer(page, { accept: action.accept, text: action.prompt_text })
