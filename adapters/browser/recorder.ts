import type { ElementHandle, Page } from 'playwright'
import type { Action } from '../../runtime/browser/schema.ts'
import type { ElementTrace, PersonInput } from '../../runtime/ports/browser.ts'
import type { ActListener } from './acting.ts'
import { ask } from './page/apart.ts'
import { describe, elementAtPoint, focusedElement } from './trace.ts'

type Element_ = ElementHandle<Element>

export interface PersonStep {
  page: Page
  tab_id: string
  input: PersonInput
  /** The second press of a double click is 2. */
  times: number
}

/** What is told once the input was given to the page. */
type Told = (() => Promise<void>) | undefined

type Mouse = Extract<PersonInput, { type: 'mouse' }>

/** Pixels from which a press that is let go elsewhere is a drag. */
const dragFrom = 8
const modifiers = new Set(['Control', 'Meta', 'Alt', 'Shift'])
/** Keys that change or move within what is being written. */
const editing = /^(?:Backspace|Delete|ArrowLeft|ArrowRight|Home|End|Space|.)$/u

interface Pressed {
  x: number
  y: number
  times: number
  element: ElementTrace | null
}

/** Tells the mouse and keys of a person as the acts they amount to; costs nothing while nobody listens. */
export class PersonRecorder {
  readonly #listeners: ReadonlySet<ActListener>
  readonly #held = new Set<string>()
  #pressed: Pressed | null = null

  constructor(listeners: ReadonlySet<ActListener>) {
    this.#listeners = listeners
  }

  /** Called before the input reaches the page, for what is clicked may leave it. */
  async before(step: PersonStep): Promise<Told> {
    const { input } = step
    if (input.type === 'key' && modifiers.has(input.key)) {
      if (input.kind === 'down') this.#held.add(input.key)
      else this.#held.delete(input.key)
      return undefined
    }
    if (this.#listeners.size === 0) return undefined
    if (input.type === 'mouse') return this.#mouse(step, input)
    if (input.type === 'text') return this.#written(step, null)
    return input.kind === 'down' ? this.#key(step, input.key) : undefined
  }

  async #mouse({ page, tab_id, times }: PersonStep, input: Mouse): Promise<Told> {
    const { kind, x, y, delta_x = 0, delta_y = 0 } = input
    if (kind === 'wheel')
      return async () => this.#tell(tab_id, page, { action: 'scroll', x, y, delta_x, delta_y })
    if (kind === 'down') this.#pressed = { x, y, times, element: await traceAt(page, x, y) }
    if (kind !== 'up' || !this.#pressed) return undefined
    const pressed = this.#pressed
    this.#pressed = null
    const from = { x: pressed.x, y: pressed.y }
    if (Math.hypot(pressed.x - x, pressed.y - y) >= dragFrom) {
      const drop = await traceAt(page, x, y)
      const action: Action = { action: 'drag_and_drop', ...from, to: { x, y } }
      return async () => this.#tell(tab_id, page, action, pressed.element, drop)
    }
    const action = clickOf(input.button, pressed.times)
    return action ? async () => this.#tell(tab_id, page, { action, ...from }, pressed.element) : undefined
  }

  async #key(step: PersonStep, key: string): Promise<Told> {
    const commands = [...this.#held].filter((held) => held !== 'Shift' || key.length > 1)
    const name = [...commands, key].join('+')
    if (editing.test(key) && !/^(?:Control|Meta|Alt)\+(?![acvxyz]$)/i.test(name))
      return this.#written(step, name)
    return this.#pressedKey(step, name)
  }

  async #pressedKey({ page, tab_id }: PersonStep, key: string): Promise<Told> {
    const element = await focusedElement(page)
    const trace = element && (await describe(element))
    return async () => this.#tell(tab_id, page, { action: 'press_key', key }, trace)
  }

  /** Writing is told as what the field holds then; elsewhere a key is a key. */
  async #written(step: PersonStep, key: string | null): Promise<Told> {
    const { page, tab_id, input } = step
    const element = await focusedElement(page)
    const trace = element && (await describe(element))
    if (!element || (await contentOf(element)) === null) {
      if (key !== null) return this.#pressedKey(step, key)
      const text = input.type === 'text' ? input.text : ''
      return async () => this.#tell(tab_id, page, { action: 'type_text', text }, trace)
    }
    return async () => {
      const content = await contentOf(element)
      if (content === null) return
      const action: Action =
        typeof content === 'string'
          ? { action: 'type_text', text: content }
          : { action: 'select_option', values: content }
      this.#tell(tab_id, page, action, trace)
    }
  }

  #tell(
    tab_id: string,
    page: Page,
    action: Action,
    element: ElementTrace | null = null,
    drop: ElementTrace | null = null,
  ): void {
    const at = Date.now()
    const event = {
      tab_id,
      action,
      element,
      drop,
      url: page.url(),
      at,
      duration_ms: 0,
      failure: null,
      by_person: true,
    }
    for (const listener of this.#listeners) listener(event)
  }
}

async function traceAt(page: Page, x: number, y: number): Promise<ElementTrace | null> {
  const element = await elementAtPoint(page, x, y)
  return element && describe(element)
}

function clickOf(button: Mouse['button'], times: number): Action['action'] | null {
  if (button === 'middle') return null
  if (button === 'right') return 'right_click'
  return times === 2 ? 'double_click' : 'click'
}

/** Text of a field, chosen entries of a list; null for what cannot be written in. */
const contentOf = (element: Element_): Promise<string | string[] | null> =>
  ask(element, (node) => {
    if (node instanceof HTMLSelectElement) return [...node.selectedOptions].map(({ label }) => label)
    if (node instanceof HTMLTextAreaElement) return node.value
    if (node instanceof HTMLInputElement)
      return /^(checkbox|radio|button|submit|reset|image|file)$/.test(node.type) ? null : node.value
    return (node as HTMLElement).isContentEditable ? (node as HTMLElement).innerText : null
  }).catch(() => null)
