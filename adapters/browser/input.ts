import type { Page } from 'playwright'
import type { PersonInput } from '../../runtime/ports/browser.ts'
import { BrowserFailure } from '../../runtime/ports/browser.ts'
import type { ActListener } from './acting.ts'
import type { Life } from './life.ts'
import { PersonRecorder } from './recorder.ts'

/** Milliseconds within which two clicks are one double click. */
const doubleWithin = 500
/** Pixels that a hand may shake between them. */
const shake = 5

type Mouse = Extract<PersonInput, { type: 'mouse' }>

/** Does what a person does in the live view, one after the other, and tells it as acts. */
export class Person {
  readonly #life: Life
  readonly #recorder: PersonRecorder
  #turn: Promise<void> = Promise.resolve()
  #pressed: { x: number; y: number; at: number; times: number } | null = null

  constructor(life: Life, listeners: ReadonlySet<ActListener>) {
    this.#life = life
    this.#recorder = new PersonRecorder(listeners)
  }

  input(input: PersonInput): Promise<void> {
    const turn = this.#turn.then(() => this.#do(input))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #do(input: PersonInput): Promise<void> {
    return this.#life.use(async (session) => {
      const page = await session.page()
      session.tabs.dialogs.refuseWhileOpen(page)
      const tab_id = session.tabs.idOf(page) ?? ''
      const press = input.type === 'mouse' && input.kind === 'down' ? this.#count(input) : 1
      const told = await this.#recorder.before({ page, tab_id, input, times: press })
      // What a click opens may stand still before the click has ended.
      await session.tabs.dialogs.orDialog(page, this.#dispatch(page, input, press))
      await told?.()
    })
  }

  #count({ x, y }: Mouse): number {
    const before = this.#pressed
    const near = before && Math.hypot(before.x - x, before.y - y) <= shake
    const again = near && Date.now() - before.at <= doubleWithin ? before.times + 1 : 1
    this.#pressed = { x, y, at: Date.now(), times: again > 3 ? 1 : again }
    return this.#pressed.times
  }

  async #dispatch(page: Page, input: PersonInput, times: number): Promise<void> {
    if (input.type === 'mouse') return this.#mouse(page, input, times)
    if (input.type === 'text') return page.keyboard.insertText(input.text)
    try {
      await page.keyboard[input.kind](input.key)
    } catch (thrown) {
      if (!/Unknown key/i.test((thrown as Error).message)) throw thrown
      throw new BrowserFailure(
        'element_not_found',
        `There is no key "${input.key.slice(0, 40)}"`,
        'Names are those of the keyboard: Enter, Tab, ArrowDown, a',
      )
    }
  }

  async #mouse(page: Page, { kind, x, y, button = 'left', delta_x = 0, delta_y = 0 }: Mouse, times: number) {
    await page.mouse.move(x, y)
    if (kind === 'wheel') await page.mouse.wheel(delta_x, delta_y)
    if (kind === 'down') await page.mouse.down({ button, clickCount: times })
    if (kind === 'up') await page.mouse.up({ button, clickCount: this.#pressed?.times ?? 1 })
  }
}
