import type { Page } from 'playwright'
import { BrowserFailure, type SnapshotOptions } from '../../../runtime/ports/browser.ts'
import { type ListedElement, lineBody, linesOf, refOf } from '../../../runtime/tabs/lines.ts'
import type { Snapshot } from '../../../runtime/tabs/schema.ts'
import { type Identity, isSame } from '../page-script/identity.ts'
import type { Listing } from '../page-script/listing.ts'
import { inTime, pause } from '../time-limit.ts'
import { type Named, PageElement } from './element.ts'
import { changedElement, describeIdentity, staleNumber } from './failure.ts'
import {
  callDocument,
  evaluate,
  frameIdOf,
  registerEngine,
  type World,
  type Worlds,
  worldsOf,
} from './isolated-world.ts'
import { scriptOf, secret } from './script-bundle.ts'

/** Characters of a snapshot unless more are asked for. */
const defaultChars = 20_000
/** Milliseconds for one frame; a frame that takes longer is left out. */
const frameLimit = 5_000
/** Milliseconds for the main document. */
const pageLimit = 10_000
/** Milliseconds between checks of a page that is being opened. */
const retryEvery = 50
const maxFrames = 60
/** Elements that a reader's numbers can refer to; beyond that, those listed longest ago are dropped. */
const maxListed = 20_000

/** An element of a snapshot. */
interface ListedNode extends ListedElement {
  world: World
  id: number
  /** The text around it, if others have the same kind and label. */
  row: string
}

/**
 * The numbers of a page. An element keeps its number as long as its document lives, and no number is used
 * twice.
 */
class Numbers {
  readonly root: string
  readonly #numbers = new Map<string, number>()

  constructor(root: string) {
    this.root = root
  }

  of({ token }: World, id: number): number {
    const key = `${token} ${id}`
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1
    this.#numbers.set(key, number)
    return number
  }
}

const numbers = new WeakMap<Page, Numbers>()

function numbersOf(page: Page, { token }: World): Numbers {
  const numbering = numbers.get(page)
  if (numbering?.root === token) return numbering
  const fresh = new Numbers(token)
  numbers.set(page, fresh)
  return fresh
}

/** The elements of a page that a reader has been shown. */
export class PageView {
  readonly elements: readonly ListedNode[]
  readonly #page: Page
  readonly #root: string
  /** Also elements of earlier snapshots of the same document. */
  readonly #listed = new Map<number, ListedNode>()

  constructor(page: Page, root: string, elements: readonly ListedNode[]) {
    this.#page = page
    this.#root = root
    this.elements = elements
    for (const element of elements) this.#listed.set(element.number, element)
  }

  /** Removes elements that the reader has not been shown. */
  withhold(numbers: readonly number[]): this {
    for (const number of numbers) this.#listed.delete(number)
    return this
  }

  /** Adds what the same reader was shown before. */
  follow(before: PageView | null): this {
    if (before === null || before.#root !== this.#root) return this
    for (const [number, element] of before.#listed) {
      if (this.#listed.size >= maxListed) break
      if (!this.#listed.has(number)) this.#listed.set(number, element)
    }
    return this
  }

  /** Lines by number, as they were shown. */
  lines(root: string): Map<number, string> | null {
    if (root !== this.#root) return null
    return new Map(
      this.elements.flatMap(({ number }) => {
        const listed = this.#listed.get(number)
        return listed ? [[number, lineBody(listed)] as const] : []
      }),
    )
  }

  get root(): string {
    return this.#root
  }

  /** The element as it was shown. */
  listedAs(number: number): ListedElement | undefined {
    return this.#listed.get(number)
  }

  kindOf(number: number): string | undefined {
    return this.#listed.get(number)?.kind
  }

  /**
   * The element with a number. Throws `BrowserFailure` if it is no longer on the page or no longer the one
   * that was shown.
   */
  async element(number: number): Promise<PageElement> {
    const listed = this.#listed.get(number)
    if (!listed) throw staleNumber(`No snapshot has shown you number ${number}`)
    const refuse = (now: Identity) => {
      // The refusal shows what it is now, so from here on the number means that.
      this.#listed.set(number, { ...listed, ...now })
      return staleNumber(`Number ${number} was ${describeIdentity(listed)} and is now ${describeIdentity(now)}`)
    }
    const element = this.#elementOf(listed, refuse)
    const now = await identityOf(element)
    if (!now) throw staleNumber(`The element with number ${number} is no longer on the page`)
    if (!isSame(listed, now)) throw refuse(now)
    return element
  }

  /** Null if the element is not on the page or is a different one now. */
  async elementOfRef(ref: string): Promise<PageElement | null> {
    const listed = this.elements.find((element) => element.ref === ref)
    if (!listed) return null
    const element = this.#elementOf(listed, changedElement)
    const now = await identityOf(element)
    return now && isSame(listed, now) ? element : null
  }

  #elementOf({ world, id, kind, label, row }: ListedNode, refuse: Named['refuse']): PageElement {
    return new PageElement(this.#page, world, id, { id, identity: { kind, label, row }, refuse })
  }
}

const identityOf = (element: PageElement): Promise<Identity | null> =>
  inTime(frameLimit, element.ask('identify')).catch(() => null)

interface ListedFrame {
  world: World
  listing: Listing
  /** Frame ids of the frames in it, in order; null for one that no longer exists. */
  frames: (string | null)[]
}

/** Reads every frame of a page. Throws `BrowserFailure` if the page does not respond. */
export async function viewPage(page: Page): Promise<PageView> {
  await registerEngine()
  const until = Date.now() + pageLimit
  for (;;) {
    const before = await orNull(frameLimit, worldsOf(page))
    if (before) await settled(page, before)
    const worlds = before && (await orNull(frameLimit, worldsOf(page)))
    const frames = worlds ? await listAll(worlds) : null
    // A page that is being opened has no elements yet.
    if (worlds && frames?.has(worlds.root.frame_id))
      return new PageView(page, worlds.root.token, nodesOf(worlds.root, frames, numbersOf(page, worlds.root)))
    if (page.isClosed() || Date.now() >= until)
      throw new BrowserFailure(
        'timeout',
        'The page is not responding',
        'It may be loading or busy; wait a moment, or use goto or reload',
      )
    await pause(retryEvery)
  }
}

/** A frame may disappear while it is read. */
const orNull = <Value>(milliseconds: number, work: Promise<Value>): Promise<Value | null> =>
  inTime(milliseconds, work).catch(() => null)

async function listAll({ all }: Worlds): Promise<Map<string, ListedFrame>> {
  const worlds = [...all.values()].slice(0, maxFrames)
  const frames = await Promise.all(worlds.map((world) => orNull(frameLimit, listFrame(world))))
  return new Map(frames.flatMap((frame) => (frame ? [[frame.world.frame_id, frame] as const] : [])))
}

async function listFrame(world: World): Promise<ListedFrame> {
  // Sent together: the probe reports which elements have listeners right before the elements are listed.
  const [, , listing] = await Promise.all([
    evaluate(world, world.context, `hearthd.hear(${JSON.stringify(secret)})`),
    evaluate(world, world.page_context, scriptOf('listener-probe')).catch(() => undefined),
    callDocument(world, 'listElements') as Promise<Listing>,
  ])
  const frames = await Promise.all(listing.frames.map(({ id }) => frameIdOf(world, id)))
  return { world, listing, frames }
}

/** The elements of all frames, those of an inner frame at its place in the outer one. */
function nodesOf(root: World, all: ReadonlyMap<string, ListedFrame>, numbered: Numbers): ListedNode[] {
  const counts = new Map<string, number>()
  const nodesIn = (frame: ListedFrame | undefined, path: string): Omit<ListedNode, 'number'>[] => {
    if (!frame) return []
    const { world, listing } = frame
    const inner = frame.frames.map((id, at) => nodesIn(all.get(id ?? ''), `${path}/${at}`))
    const own = listing.elements.map(([id, kind, label, states, in_viewport, row]) => {
      const around = row || (world === root ? '' : frameAsRow(frame, kind, label, all))
      const ref = refOf([path, kind, label, row], counts)
      const notes = around ? [...states, `in ${JSON.stringify(around)}`] : states
      return { world, id, kind, label, row, states: notes, in_viewport, ref }
    })
    const places = listing.frames.map(({ before }) => before)
    if (places.length === 0) return own
    return [...own, null].flatMap((element, at) => [
      ...inner.filter((_, frame) => places[frame] === at).flat(),
      ...(element ? [element] : []),
    ])
  }
  return nodesIn(all.get(root.frame_id), '').map((node) => ({
    ...node,
    number: numbered.of(node.world, node.id),
  }))
}

/** The name of the frame, if another frame has an element with the same kind and label. */
function frameAsRow(
  { world, listing: { title, url } }: ListedFrame,
  kind: string,
  label: string,
  all: ReadonlyMap<string, ListedFrame>,
): string {
  const isTwin = [...all.values()].some(
    (other) => other.world !== world && other.listing.elements.some((one) => one[1] === kind && one[2] === label),
  )
  return isTwin ? `frame ${(title || url.replace(/^.*\//, '')).slice(0, 40)}` : ''
}

/** The text of a snapshot; `before` is what the reader was shown last, for a difference. */
export function render(
  view: PageView,
  { max_chars = defaultChars, viewport = false, diff = false }: SnapshotOptions,
  before: PageView | null,
): Pick<Snapshot, 'snapshot' | 'element_count' | 'truncated'> {
  const previous = (diff && before?.lines(view.root)) || null
  const { text, truncated, left_out } = linesOf(view.elements, { max_chars, viewport, previous })
  view.withhold(left_out).follow(before)
  return { snapshot: text, element_count: view.elements.length, truncated }
}

/** Milliseconds after an act in which a page is still rendering its result. */
const fresh = 400
/** Milliseconds without a change until a page counts as rendered, and the longest wait for that. */
const quiet = 60
const maxQuiet = 350

const acted = new WeakMap<Page, number>()

export function noteAct(page: Page): void {
  acted.set(page, performance.now())
}

/**
 * Right after an act a page may render its result in steps, and a snapshot in between would be outdated at
 * once.
 */
async function settled(page: Page, { root }: Worlds): Promise<void> {
  const at = acted.get(page)
  acted.delete(page)
  if (at === undefined || performance.now() - at > fresh) return
  await orNull(maxQuiet * 2, callDocument(root, 'quiet', { quiet, max: maxQuiet }))
}
