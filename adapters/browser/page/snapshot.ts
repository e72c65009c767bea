import type { Page } from 'playwright'
import { linesOf, refOf } from '../../../runtime/browser/lines.ts'
import type { Snapshot } from '../../../runtime/browser/schema.ts'
import { BrowserFailure, type SnapshotOptions } from '../../../runtime/ports/browser.ts'
import { geometrySource } from './inside/geometry.ts'
import { hintsSource } from './inside/hints.ts'
import { kindsSource } from './inside/kinds.ts'
import { namesSource } from './inside/names.ts'
import { reasonsSource } from './inside/reasons.ts'
import { type Seen, seenSource } from './inside/seen.ts'
import { type Told, walkSource } from './inside/walk.ts'
import { hearListeners } from './listeners.ts'
import { settled } from './settle.ts'
import { type ListedNode, PageView, registerEngine, within } from './view.ts'
import { evaluateIn, type World, type Worlds, worldsOf } from './worlds.ts'

export { PageView } from './view.ts'

/** Characters of a snapshot unless more are asked for. */
export const usualChars = 20_000
/** Milliseconds that one frame may take; a frame that loads for ever is left out. */
const frameLimit = 5_000
/** Milliseconds until the page itself must have told. */
const pageLimit = 10_000
/** Milliseconds between two looks at a page that is being made. */
const pause = 50
const mostFrames = 60

/** What the text of a page would need if it stood alone there. */
export const insideSource = [
  reasonsSource,
  kindsSource,
  namesSource,
  hintsSource,
  geometrySource,
  seenSource,
  walkSource,
].join('\n')

interface ToldFrame {
  world: World
  told: Told
  /** The frames in it, in order; null for what did not tell. */
  inner: (string | null)[]
}

/** Looks at every frame of a page. Throws `BrowserFailure` when the page does not answer. */
export async function viewPage(page: Page): Promise<PageView> {
  await registerEngine()
  const key = crypto.randomUUID()
  const until = Date.now() + pageLimit
  for (;;) {
    const before = await within(frameLimit, worldsOf(page))
    if (before) await settled(page, before)
    const worlds = before && (await within(frameLimit, worldsOf(page)))
    const told = worlds ? await tellAll(worlds, key) : null
    // A page that is being opened has nothing to tell yet.
    if (worlds && told?.has(worlds.root)) return new PageView(page, key, listed(worlds.root, told))
    if (page.isClosed() || Date.now() >= until) throw silent()
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

const silent = () =>
  new BrowserFailure(
    'timeout',
    'The page does not answer',
    'It may be loading or busy; wait a moment, or use goto or reload',
  )

async function tellAll({ all }: Worlds, key: string): Promise<Map<string, ToldFrame>> {
  const worlds = [...all.values()].slice(0, mostFrames)
  const told = await Promise.all(worlds.map((world) => within(frameLimit, tellOne(world, key))))
  return new Map(told.flatMap((one) => (one ? [[one.world.frame_id, one] as const] : [])))
}

async function tellOne(world: World, key: string): Promise<ToldFrame> {
  const name = JSON.stringify(key)
  const nobody = '{ used: new Set(), hovered: new Set() }'
  const go = `JSON.stringify(globalThis.__hearthd_walk(${name}, globalThis.__hearthd_heard?.() ?? ${nobody}))`
  const ask = `globalThis.__hearthd_walk === undefined ? '' : ${go}`
  // All are sent in one breath: what listens is heard, then the walk takes it.
  const [, known] = await Promise.all([hearListeners(world), evaluateIn(world, world.apart, ask)])
  // A new document has yet to be taught.
  const taught = `globalThis.__hearthd_walk = (() => {\n${insideSource}\nreturn walk })(); ${go}`
  const text = known || (await evaluateIn(world, world.apart, taught))
  const told = JSON.parse(String(text)) as Told
  const inner = await Promise.all(told.frames.map((_, place) => frameIdOf(world, key, place)))
  return { world, told, inner }
}

/** Which frame stands in an element, as the debugger knows it. */
async function frameIdOf({ session, apart }: World, key: string, place: number): Promise<string | null> {
  const expression = `globalThis.__hearthd_views?.get(${JSON.stringify(key)})?.frames[${place}]`
  const { result } = await session.send('Runtime.evaluate', { expression, contextId: apart })
  if (!result.objectId) return null
  const { node } = await session.send('DOM.describeNode', { objectId: result.objectId })
  await session.send('Runtime.releaseObject', { objectId: result.objectId })
  return node.frameId ?? null
}

/** The elements of a frame, those of the frames in it where these stand. */
function listed(root: string, all: ReadonlyMap<string, ToldFrame>): ListedNode[] {
  const counts = new Map<string, number>()
  const from = (frame_id: string, path: string): ListedNode[] => {
    const frame = all.get(frame_id)
    if (!frame) return []
    const { world, told, inner } = frame
    const within = inner.map((id, place) => (id === null ? [] : from(id, `${path}/${place}`)))
    const { url } = told
    const own = told.seen.map(([kind, label, known, in_viewport, row], position): ListedNode => {
      const around = row || (frame_id === root ? '' : rowOfFrame(told, { kind, label }, all, world))
      const states = around ? [...known, `in ${JSON.stringify(around)}`] : known
      const ref = refFor(counts, [path, kind, label, row])
      return { kind, label, states, in_viewport, ref, world, position, url }
    })
    const places = told.frames
    if (places.length === 0) return own
    return own
      .flatMap((element, place) => [...within.filter((_, frame) => places[frame] === place).flat(), element])
      .concat(within.filter((_, frame) => (places[frame] ?? 0) >= own.length).flat())
  }
  return from(root, '')
}

/** The name of its frame, where another frame has the same. */
function rowOfFrame(
  { title, url }: Told,
  { kind, label }: Pick<Seen, 'kind' | 'label'>,
  all: ReadonlyMap<string, ToldFrame>,
  world: World,
): string {
  const others = [...all.values()].filter((frame) => frame.world !== world)
  const twin = others.some(({ told }) => told.seen.some((one) => one[0] === kind && one[1] === label))
  return twin ? `frame ${(title || url.replace(/^.*\//, '')).slice(0, 40)}` : ''
}

function refFor(counts: Map<string, number>, parts: readonly string[]): string {
  const same = parts.join('\u0000')
  const nth = counts.get(same) ?? 0
  counts.set(same, nth + 1)
  return refOf(parts, nth)
}

/** The snapshot that a view is told as; `before` is what the reader knows when only what is new is wanted. */
export function tell(
  view: PageView,
  { max_chars = usualChars, viewport = false, diff = false }: SnapshotOptions,
  before: PageView | null,
): Pick<Snapshot, 'snapshot' | 'element_count' | 'truncated'> {
  const known = diff && before ? before.lines() : null
  const { text, truncated } = linesOf(view.elements, { max_chars, viewport, known })
  return { snapshot: text, element_count: view.elements.length, truncated }
}
