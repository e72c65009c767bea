import type { ElementHandle, Frame, Page } from 'playwright'
import type { BrowserFailure } from '../../../runtime/ports/browser.ts'
import { type Identity, isSame } from '../page-script/identity.ts'
import type { PageScript } from '../page-script/index.ts'
import { inTime } from '../time-limit.ts'
import { changedElement } from './failure.ts'
import { callDocument, callElement, gone, putSelector, selectorFor, type World, worldsOf } from './isolated-world.ts'

/** The element that an act names, as the caller was shown it. */
export interface Named {
  id: number
  /** Null if the caller was shown nothing. */
  identity: Identity | null
  /** The failure for an element that has become something else. */
  refuse(now: Identity): BrowserFailure
}

export type Handle = ElementHandle<Element>
/** Functions of the page script that return an element. */
type Finder = {
  [Name in keyof PageScript]: Awaited<ReturnType<PageScript[Name]>> extends Element | null
    ? Awaited<ReturnType<PageScript[Name]>> extends null
      ? never
      : Name
    : never
}[keyof PageScript]

/**
 * An element of a page. The page script answers all queries about it; Playwright's own handle is created only
 * when its mouse or keyboard needs one, which takes five messages.
 */
export class PageElement {
  readonly page: Page
  readonly world: World
  readonly id: number
  /** The element that the caller named, from which this one was found. */
  readonly named: Named
  #handle: Promise<Handle> | null = null

  constructor(page: Page, world: World, id: number, named?: Named) {
    this.page = page
    this.world = world
    this.id = id
    this.named = named ?? { id, identity: null, refuse: changedElement }
  }

  /** The element of a handle that Playwright has found. */
  static async of(page: Page, handle: Handle, named?: Omit<Named, 'id'>): Promise<PageElement> {
    const key = crypto.randomUUID()
    const worlds = [...((await worldsOf(page))?.all.values() ?? [])]
    await handle.$(putSelector(key))
    const ids = await Promise.all(worlds.map((world) => callDocument(world, 'takeReceived', key).catch(() => null)))
    const at = ids.findIndex((id) => id !== null)
    const [world, id] = [worlds[at], ids[at]]
    if (!world || typeof id !== 'number') throw gone()
    const element = new PageElement(page, world, id, named && { ...named, id })
    element.#handle = Promise.resolve(handle)
    return element
  }

  /** Calls a function of the page script with this element. */
  ask<Name extends keyof PageScript>(name: Name, argument?: Parameters<PageScript[Name]>[1]) {
    return callElement(this.world, this.id, name, argument)
  }

  /** The element that a function of the page script finds from this one. */
  async find(name: Finder): Promise<PageElement | null> {
    const id = (await callElement(this.world, this.id, name)) as number | null
    if (id === null) return null
    return id === this.id ? this : new PageElement(this.page, this.world, id, this.named)
  }

  /** Throws `BrowserFailure` if the named element no longer is what the caller was shown. */
  async verify(): Promise<void> {
    const { id, identity, refuse } = this.named
    const now = identity && (await callElement(this.world, id, 'identify'))
    if (now && !isSame(identity, now)) throw refuse(now)
  }

  /**
   * Runs `press`, during which the named element is pressed only as long as it is what the caller was shown. Throws
   * `BrowserFailure` otherwise.
   */
  async whileSame<Result>(press: () => Promise<Result>): Promise<Result> {
    const { id, identity, refuse } = this.named
    const now = await callElement(this.world, id, 'guardPress', identity)
    if (now) throw refuse(now)
    // A handler of the press may never return.
    const end = () => inTime(1_000, callDocument(this.world, 'endGuard')).catch(() => null)
    const result = await press().catch(async (thrown: unknown) => {
      const changed = await end()
      throw changed ? refuse(changed) : thrown
    })
    const changed = await end()
    if (changed) throw refuse(changed)
    return result
  }

  /**
   * The frame and a selector for Playwright; on request, a selector that fails at once if the element is
   * gone.
   */
  async locate(operation: 'get' | 'on' = 'get'): Promise<{ frame: Frame; selector: string }> {
    const selector = selectorFor('get', this.world, this.id)
    if (!this.world.frame)
      for (const frame of this.page.frames())
        if (await frame.$(selector).catch(() => null)) {
          this.world.frame = frame
          break
        }
    if (!this.world.frame) throw gone()
    return { frame: this.world.frame, selector: selectorFor(operation, this.world, this.id) }
  }

  handle(): Promise<Handle> {
    this.#handle ??= this.locate().then(async ({ frame, selector }) => {
      const handle = (await frame.$(selector)) as Handle | null
      return handle ?? Promise.reject(gone())
    })
    return this.#handle
  }

  /** In the viewport of the page, whatever frame it lies in. */
  async box(): Promise<{ x: number; y: number; width: number; height: number } | null> {
    return (await this.handle()).boundingBox()
  }

  async isVisible(): Promise<boolean> {
    return (await this.handle()).isVisible()
  }
}
