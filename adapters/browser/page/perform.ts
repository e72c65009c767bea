import type { Page } from 'playwright'
import { BrowserFailure } from '../../../runtime/ports/browser.ts'
import type { Action, ActionName } from '../../../runtime/tabs/schema.ts'
import { unlessAborted } from '../../../runtime/within.ts'
import { check, selectOption, uncheck } from './acts/choose.ts'
import { click, doubleClick, dragAndDrop, hover, rightClick } from './acts/mouse.ts'
import {
  goBack,
  goForward,
  goto,
  handleDialog,
  reload,
  scroll,
  scrollToElement,
  waitForNavigation,
  waitForNetworkIdle,
  waitForSelector,
} from './acts/navigate.ts'
import type { Act, Stage } from './acts/stage.ts'
import { blur, focus, pressKey, typeText } from './acts/type.ts'
import { toFailure } from './failure.ts'
import { watchNavigation } from './navigation.ts'
import { noteAct } from './snapshot.ts'

const acts: Readonly<Record<ActionName, Act>> = {
  goto,
  click,
  double_click: doubleClick,
  right_click: rightClick,
  hover,
  type_text: typeText,
  press_key: pressKey,
  select_option: selectOption,
  check,
  uncheck,
  scroll,
  scroll_to_element: scrollToElement,
  drag_and_drop: dragAndDrop,
  focus,
  blur,
  handle_dialog: handleDialog,
  wait_for_selector: waitForSelector,
  wait_for_navigation: waitForNavigation,
  wait_for_network_idle: waitForNetworkIdle,
  go_back: goBack,
  go_forward: goForward,
  reload,
}

/** Milliseconds, unless the act has its own. */
const defaultTimeouts: Partial<Record<ActionName, number>> = {
  goto: 30_000,
  reload: 30_000,
  go_back: 15_000,
  go_forward: 15_000,
  wait_for_selector: 15_000,
  wait_for_navigation: 15_000,
  wait_for_network_idle: 10_000,
}
const defaultTimeout = 5_000

export const timeoutOf = ({ action, timeout_ms }: Action): number =>
  timeout_ms ?? defaultTimeouts[action] ?? defaultTimeout

/** Performs one act. Throws `BrowserFailure`, or the reason of the signal. */
export async function perform(stage: Omit<Stage, 'until'>, signal?: AbortSignal): Promise<void> {
  const { page, action, dialogs } = stage
  if (action.action !== 'handle_dialog') dialogs.refuseWhileOpen(page)
  const until = Date.now() + timeoutOf(action)
  const navigation = await watchNavigation(page)
  try {
    const done = acts[action.action]({ ...stage, until })
    await orAborted(orCrashed(page, dialogs.orDialog(page, done)), signal)
    await orAborted(dialogs.orDialog(page, navigation.arrived()), signal)
  } catch (thrown) {
    signal?.throwIfAborted()
    throw explained(action, toFailure(thrown))
  } finally {
    navigation.stop()
    noteAct(page)
  }
}

/** A navigation names no element that could have disappeared. */
function explained({ action }: Action, failure: BrowserFailure): BrowserFailure {
  if (failure.code !== 'stale_index' || !/^(goto|go_back|go_forward|reload)$/.test(action)) return failure
  const hint = 'Check the address, and that this machine can reach the site'
  return new BrowserFailure('navigation_failed', 'The page could not be opened', hint)
}

/** A page whose process has crashed never answers. */
async function orCrashed(page: Page, work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const crash = () => reject(new BrowserFailure('page_crashed', 'The page has crashed', 'Open it again with goto'))
  page.once('crash', crash)
  try {
    await Promise.race([work, promise])
  } finally {
    page.off('crash', crash)
  }
}

const orAborted = (work: Promise<void>, signal: AbortSignal | undefined): Promise<void> =>
  signal ? unlessAborted(work, signal) : work
