import type { ElementHandle, Frame, Page } from 'playwright'
import { callIn, type World, worldsOf } from './worlds.ts'

type Element_ = ElementHandle<Element>

/** Where an element is kept in a world apart: under a key, at a position of what is kept there. */
export interface Place {
  world: World
  key: string
  position: number
}

const places = new WeakMap<Element_, Promise<Place>>()

export const notePlace = (element: Element_, place: Place): void =>
  void places.set(element, Promise.resolve(place))

const pages = new WeakMap<Element_, Page>()

/** Of whose page an element is: the driver would ask the page itself, and lose its way where it lies. */
export const notePage = (element: Element_, page: Page): void => void pages.set(element, page)

/** Most elements that one document keeps for us beside its views. */
const mostHanded = 60

/** Under `position` -1 lies what was handed over by itself. */
const nodeSource = `(key, position) =>
  position < 0 ? globalThis.__hearthd_handed?.get(key) : globalThis.__hearthd_views?.get(key)?.nodes[position]`

const left = 'Element is not attached'

/**
 * Finds nodes from the driver's side: its selectors run in the world that keeps them, and its own handle is what its
 * mouse and keyboard work on. `put:` keeps the node that is asked, `get:` finds what was kept, `root` the outermost.
 * `on:` finds what is kept and still there, or says at once that it is not, for the driver would go on looking.
 */
export const engineSource = `({
  query(root, text) { return this.queryAll(root, text)[0] },
  queryAll(root, text) {
    const handed = globalThis.__hearthd_handed ??= new Map()
    while (handed.size > ${mostHanded}) handed.delete(handed.keys().next().value)
    if (text.startsWith('put:')) return handed.set(text.slice(4), root) && []
    if (text === 'root') return [root.documentElement ?? root]
    if (text.startsWith('get:')) return [handed.get(text.slice(4))].filter(Boolean)
    const [key, position] = text.replace('on:', '').split('.')
    const node = (${nodeSource})(key, Number(position))
    if (node?.isConnected) return [node]
    if (text.startsWith('on:')) throw new Error(${JSON.stringify(left)})
    return []
  },
})`

const gone = () => new Error(`${left}: its document has gone`)

/** Its text is what is asked, so it sees nothing but what it is given. */
export type Look<Argument, Value> = string | ((node: Element, argument: Argument) => Value)

/**
 * What a function says of an element, asked in the world apart, where the page can neither lie nor listen. What it says
 * passes as JSON.
 */
export async function ask<Value, Argument = unknown>(
  element: Element_,
  look: Look<Argument, Value>,
  argument?: Argument,
): Promise<Value> {
  const source = String(look)
  const told =
    (await askAt<Value>(await placeOf(element), source, argument)) ??
    // The view that kept it may have been let go.
    (await askAt<Value>(await placeAnew(element), source, argument))
  if (!told) throw gone()
  return told.said
}

/** What a function says of a page, of which it sees the outermost document. */
export async function askPage<Value>(page: Page, look: () => Value | Promise<Value>): Promise<Value> {
  const worlds = await worldsOf(page)
  const world = worlds?.all.get(worlds.root)
  if (!world) throw gone()
  return (await callIn(world, world.apart, String(look), [])) as Value
}

async function askAt<Value>(
  { world, key, position }: Place,
  look: string,
  argument: unknown,
): Promise<{ said: Value } | null> {
  const source = `(key, position, argument) => {
    const node = (${nodeSource})(key, position)
    return node ? { said: (${look})(node, argument) ?? null } : null
  }`
  const told = await callIn(world, world.apart, source, [key, position, argument])
  return told as { said: Value } | null
}

/** Has a function run in every document of a page; one that goes away meanwhile is passed over. */
export async function askAll(page: Page, look: () => void): Promise<void> {
  const all = [...((await worldsOf(page))?.all.values() ?? [])]
  await Promise.all(all.map((world) => callIn(world, world.apart, String(look), []).catch(() => undefined)))
}

/** What a function finds from an element: another one, null for none, and what it says beside. */
export async function askFor<Argument = unknown>(
  element: Element_,
  look: Look<Argument, Element | null | undefined>,
  argument?: Argument,
): Promise<Element_ | null> {
  const source = `(node, argument) => ({ found: (${look})(node, argument), said: null })`
  return (await askBoth(element, source, argument)).found
}

export async function askBoth<Value, Argument = unknown>(
  element: Element_,
  look: Look<Argument, { found: Element | null; said: Value }>,
  argument?: Argument,
): Promise<{ found: Element_ | null; said: Value }> {
  const key = crypto.randomUUID()
  const keep = `(node, { key, argument }) => {
    const { found, said } = (${look})(node, argument)
    if (found) (globalThis.__hearthd_handed ??= new Map()).set(key, found)
    return { which: found === node ? 'same' : found ? 'other' : 'none', said }
  }`
  const { which, said } = await ask<{ which: string; said: Value }>(element, keep, { key, argument })
  if (which !== 'other') return { found: which === 'same' ? element : null, said }
  return { found: await handleOf(element, key), said }
}

/** The driver's handle of what was kept beside an element. */
async function handleOf(element: Element_, key: string): Promise<Element_ | null> {
  const found = (await element.$(`hearthd=get:${key}`)) as Element_ | null
  if (!found) return null
  const { world } = await placeOf(element)
  notePlace(found, { world, key, position: -1 })
  const page = pages.get(element)
  if (page) notePage(found, page)
  return found
}

/** The outermost element of a document. */
export async function rootOf(frame: Frame): Promise<Element_ | null> {
  const root = (await frame.$('hearthd=root')) as Element_ | null
  if (root) notePage(root, frame.page())
  return root
}

/** The frame in which an element lies. */
export const frameOf = async (element: Element_): Promise<Frame | null> =>
  (await standingOf(element))?.frame ?? null

/** Keeps what a view keeps for longer than the view; null when it has left the page. */
export async function keptFor({ world, key, position }: Place): Promise<Place | null> {
  const own = crypto.randomUUID()
  const keep = `(own, ...at) => {
    const node = (${nodeSource})(...at)
    if (node?.isConnected) (globalThis.__hearthd_handed ??= new Map()).set(own, node)
    return node?.isConnected === true
  }`
  const there = await callIn(world, world.apart, keep, [own, key, position])
  return there ? { world, key: own, position: -1 } : null
}

/** An element where it is kept. The driver makes its own handle only when one is asked for: that takes it five turns. */
export function handleAt(frame: Frame, place: Place): Element_ {
  let made: Promise<Element_> | null = null
  const make = async () =>
    ((await frame.$(`hearthd=on:${place.key}.${place.position}`)) as Element_ | null) ??
    Promise.reject(gone())
  const call = async (name: keyof Element_, given: unknown[]): Promise<unknown> => {
    made ??= make()
    const handle = await made
    return Reflect.apply(handle[name] as () => unknown, handle, given)
  }
  const element = new Proxy({} as Element_, {
    // What has a `then` would be waited for.
    get: (_, name) =>
      name === 'then' ? undefined : (...given: unknown[]) => call(name as keyof Element_, given),
  })
  notePlace(element, place)
  return element
}

/** What finds an element in a frame that has a process of its own, the page among them; null in others. */
export async function quickOf(element: Element_): Promise<{ frame: Frame; selector: string } | null> {
  const { world, key, position } = await placeOf(element)
  return world.frame && { frame: world.frame, selector: `hearthd=on:${key}.${position}` }
}

/** The frame in which an element lies, and what finds it there. */
export async function standingOf(element: Element_): Promise<{ frame: Frame; selector: string } | null> {
  const { world, key, position } = await placeOf(element)
  const selector = `hearthd=${position < 0 ? `get:${key}` : `${key}.${position}`}`
  if (world.frame) return { frame: world.frame, selector }
  for (const frame of pages.get(element)?.frames() ?? [])
    if (await frame.$(selector).catch(() => null)) return { frame, selector }
  return null
}

const placeOf = (element: Element_): Promise<Place> => places.get(element) ?? placeAnew(element)

function placeAnew(element: Element_): Promise<Place> {
  const place = hand(element)
  places.set(element, place)
  return place
}

/** The world apart gets the element by itself. */
async function hand(element: Element_): Promise<Place> {
  const key = crypto.randomUUID()
  await element.$(`hearthd=put:${key}`)
  const page = pages.get(element)
  const worlds = page && (await worldsOf(page))
  const all = [...(worlds?.all.values() ?? [])]
  const has = `(key) => globalThis.__hearthd_handed?.has(key) ?? false`
  const held = await Promise.all(
    all.map((world) => callIn(world, world.apart, has, [key]).catch(() => false)),
  )
  const world = all[held.indexOf(true)]
  if (!world) throw gone()
  return { world, key, position: -1 }
}
