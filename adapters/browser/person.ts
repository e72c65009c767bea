import type { Page } from 'playwright'
import type { ActedEvent, ElementTrace, PersonInput, TabUser } from '../../runtime/ports/browser.ts'
import type { Action } from '../../runtime/tabs/schema.ts'
import type { BrowserLifecycle } from './lifecycle.ts'
import { unknownKey } from './page/acts/type.ts'
import type { PageElement } from './page/element.ts'
import { elementAtPoint, focusedElement } from './page/target.ts'
import { holderOf } from './tabs.ts'
import { describeElement } from './traces.ts'

/** Milliseconds within which two clicks are a double click. */
const doubleClickLimit = 500
/** Pixels that the pointer may move between them. */
const doubleClickDistance = 5
/** Minimum pixels between press and release that make a press a drag. */
const dragDistance = 8
const modifiers = new Set(['Control', 'Meta', 'Alt', 'Shift'])
/** Keys that edit text or move the caret. */
const editing = /^(?:Backspace|Delete|ArrowLeft|ArrowRight|Home|End|Space|.)$/u

type Mouse = Extract<PersonInput, { type: 'mouse' }>

type ActListener = (event: ActedEvent) => void

interface Press {
  x: number
  y: number
  at: number
  /** 2 for the second press of a double click. */
  count: number
  element: ElementTrace | null
}

/** Performs the input of a person in the live view, one after the other, and reports it as acts. */
export class Person {
  readonly #lifecycle: BrowserLifecycle
  readonly #listeners: ReadonlySet<ActListener>
  readonly #user: TabUser | undefined
  readonly #modifiers = new Set<string>()
  #turn: Promise<void> = Promise.resolve()
  #press: Press | null = null
  /** The press that is not released yet. */
  #held: Press | null = null

  constructor(lifecycle: BrowserLifecycle, listeners: ReadonlySet<ActListener>, user?: TabUser) {
    this.#lifecycle = lifecycle
    this.#user = user
    this.#listeners = listeners
  }

  input(input: PersonInput): Promise<void> {
    const turn = this.#turn.then(() => this.#perform(input))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #perform(input: PersonInput): Promise<void> {
    return this.#lifecycle.use(async (session) => {
      const { tabs } = session
      const visiblePage = tabs.visiblePage(this.#user)
      // A tab that an agent opens meanwhile must not take the rest of the input.
      if (visiblePage) tabs.activate(visiblePage, this.#user)
      const page = await session.page(visiblePage ? (tabs.idOf(visiblePage) ?? undefined) : undefined, this.#user)
      tabs.dialogs.refuseWhileOpen(page)
      if (input.type === 'mouse' && input.kind === 'down') this.#countPress(input)
      const report = await this.#prepareReport(page, tabs.idOf(page) ?? '', input)
      // A click that opens a dialog ends only when the dialog is closed.
      await tabs.dialogs.orDialog(page, this.#dispatch(page, input))
      await report?.()
    })
  }

  #countPress({ x, y }: Mouse): void {
    const before = this.#press
    const isNear = before && Math.hypot(before.x - x, before.y - y) <= doubleClickDistance
    const count = isNear && Date.now() - before.at <= doubleClickLimit ? before.count + 1 : 1
    this.#press = { x, y, at: Date.now(), count: count > 3 ? 1 : count, element: null }
  }

  async #dispatch(page: Page, input: PersonInput): Promise<void> {
    if (input.type === 'text') return page.keyboard.insertText(input.text)
    if (input.type === 'mouse') return this.#dispatchMouse(page, input)
    try {
      await page.keyboard[input.kind](input.key)
    } catch (thrown) {
      throw unknownKey(thrown, input.key)
    }
  }

  async #dispatchMouse({ mouse }: Page, input: Mouse): Promise<void> {
    const { kind, x, y, button = 'left', delta_x = 0, delta_y = 0 } = input
    await mouse.move(x, y)
    if (kind === 'wheel') await mouse.wheel(delta_x, delta_y)
    if (kind === 'down' || kind === 'up') await mouse[kind]({ button, clickCount: this.#press?.count ?? 1 })
  }

  /**
   * Inspects the target before the input is performed, because the input may remove it. Returns how to report
   * it.
   */
  async #prepareReport(page: Page, tab_id: string, input: PersonInput): Promise<(() => Promise<void>) | undefined> {
    if (input.type === 'key' && modifiers.has(input.key)) {
      if (input.kind === 'down') this.#modifiers.add(input.key)
      else this.#modifiers.delete(input.key)
      return undefined
    }
    if (this.#listeners.size === 0) return undefined
    const report: Report = async (action, element = null, drop = null) => {
      const at = Date.now()
      const event = {
        tab_id,
        holder: holderOf(page),
        action,
        element,
        drop,
        url: page.url(),
        at,
        duration_ms: 0,
      }
      for (const listener of this.#listeners) listener({ ...event, failure: null, by_person: true })
    }
    if (input.type === 'mouse') return this.#reportMouse(page, input, report)
    if (input.type === 'text') return reportText(page, { text: input.text }, report)
    return input.kind === 'down' ? this.#reportKey(page, input.key, report) : undefined
  }

  async #reportMouse(page: Page, input: Mouse, report: Report) {
    const { kind, x, y, button, delta_x = 0, delta_y = 0 } = input
    if (kind === 'wheel') return () => report({ action: 'scroll', x, y, delta_x, delta_y })
    if (kind === 'down' && this.#press) this.#held = { ...this.#press, element: await traceAt(page, { x, y }) }
    const pressed = this.#held
    if (kind !== 'up' || !pressed) return undefined
    this.#held = null
    const from = { x: pressed.x, y: pressed.y }
    if (Math.hypot(pressed.x - x, pressed.y - y) >= dragDistance) {
      const drop = await traceAt(page, { x, y })
      return () => report({ action: 'drag_and_drop', ...from, to: { x, y } }, pressed.element, drop)
    }
    if (button === 'middle') return undefined
    const action = button === 'right' ? 'right_click' : pressed.count === 2 ? 'double_click' : 'click'
    return () => report({ action, ...from }, pressed.element)
  }

  async #reportKey(page: Page, key: string, report: Report) {
    const held = [...this.#modifiers].filter((name) => name !== 'Shift' || key.length > 1)
    const name = [...held, key].join('+')
    const isEditing = editing.test(key) && !/^(?:Control|Meta|Alt)\+(?![acvxyz]$)/i.test(name)
    return isEditing ? reportText(page, { key: name }, report) : reportPress(page, name, report)
  }
}

type Report = (action: Action, element?: ElementTrace | null, drop?: ElementTrace | null) => Promise<void>

async function traceAt(page: Page, point: { x: number; y: number }): Promise<ElementTrace | null> {
  const element = await elementAtPoint(page, point)
  return element && describeElement(element)
}

async function reportPress(page: Page, key: string, report: Report) {
  const element = await focusedElement(page)
  const trace = element && (await describeElement(element))
  return () => report({ action: 'press_key', key }, trace)
}

/** In a field, input is reported as its new content. */
async function reportText(page: Page, { key, text = '' }: { key?: string; text?: string }, report: Report) {
  const element = await focusedElement(page)
  if (!element || (await enteredIn(element)) === null) {
    if (key !== undefined) return reportPress(page, key, report)
    const trace = element && (await describeElement(element))
    return () => report({ action: 'type_text', text }, trace)
  }
  const trace = await describeElement(element)
  return async () => {
    const entered = await enteredIn(element)
    if (typeof entered === 'string') await report({ action: 'type_text', text: entered }, trace)
    else if (entered) await report({ action: 'select_option', values: entered }, trace)
  }
}

const enteredIn = (element: PageElement): Promise<string | string[] | null> =>
  element.ask('enteredIn').catch(() => null)
