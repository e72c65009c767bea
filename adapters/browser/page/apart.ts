import type { ElementHandle, Page } from 'playwright'
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

/** The page can make the driver lose its way to the frame of an element. */
export const notePage = (element: Element_, page: Page): void => void pages.set(element, page)

/** Most elements that one document keeps for us beside its views. */
const mostHanded = 60

/**
 * Finds nodes from the driver's side: its selectors run in the world that keeps them, and its own handle is what its
 * mouse and keyboard work on. `put:` keeps the node that is asked, `get:` finds what was kept.
 */
export const engineSource = `({
  query(root, text) { return this.queryAll(root, text)[0] },
  queryAll(root, text) {
    const handed = globalThis.__hearthd_handed ??= new Map()
    if (text.startsWith('put:')) {
      handed.set(text.slice(4), root)
      if (handed.size > ${mostHanded}) handed.delete(handed.keys().next().value)
      return []
    }
    const [key, position] = text.split('.')
    const node = text.startsWith('get:')
      ? handed.get(text.slice(4))
      : globalThis.__hearthd_views?.get(key)?.nodes[Number(position)]
    return node?.isConnected ? [node] : []
  },
})`

/** Under `position` -1 lies what was handed over by itself. */
const nodeSource = `(key, position) =>
  position < 0 ? globalThis.__hearthd_handed?.get(key) : globalThis.__hearthd_views?.get(key)?.nodes[position]`

const gone = () => new Error('Element is not attached: its document has gone')

/**
 * What a function says of an element, asked in the world apart, where the page can neither lie nor listen. `look` is its
 * text; what it says passes as JSON.
 */
export async function ask<Value>(element: Element_, look: string, argument: unknown = null): Promise<Value> {
  const told =
    (await askAt<Value>(await placeOf(element), look, argument)) ??
    // The view that kept it may have been let go.
    (await askAt<Value>(await placeAnew(element), look, argument))
  if (!told) throw gone()
  return told.said
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

/** The element that a function finds from another; null when it finds none. */
export async function askFor(element: Element_, look: string): Promise<Element_ | null> {
  const key = crypto.randomUUID()
  const keep = `(node, key) => {
    const found = (${look})(node)
    if (found) (globalThis.__hearthd_handed ??= new Map()).set(key, found)
    return found === node ? 'same' : found ? 'other' : 'none'
  }`
  const said = await ask<'same' | 'other' | 'none'>(element, keep, key)
  if (said !== 'other') return said === 'same' ? element : null
  const found = (await element.$(`hearthd=get:${key}`)) as Element_ | null
  const { world } = await placeOf(element)
  if (found) notePlace(found, { world, key, position: -1 })
  return found
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
  const page = pages.get(element) ?? (await element.ownerFrame())?.page()
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
