import type { ActionName } from '../../../../runtime/browser/schema.ts'
import type { Act } from './act.ts'
import { dragAndDrop } from './drag.ts'
import { check, uncheck } from './fields.ts'
import { blur, focus, pressKey } from './keyboard.ts'
import {
  goBack,
  goForward,
  goto,
  handleDialog,
  reload,
  waitForNavigation,
  waitForNetworkIdle,
  waitForSelector,
} from './moves.ts'
import { selectOption } from './option.ts'
import { click, doubleClick, hover, rightClick } from './pointer.ts'
import { scroll, scrollToElement } from './scroll.ts'
import { typeText } from './typing.ts'

/** What is done for each action. */
export const acts: Readonly<Record<ActionName, Act>> = {
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
