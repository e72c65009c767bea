import { type CDPSession, type Frame, type Page, selectors } from 'playwright'
import { loadOnce } from '../../../runtime/load-once.ts'
import type { PageScript } from '../page-script/index.ts'
import { scriptOf, secret } from './script-bundle.ts'

/**
 * The isolated world of one document: it shares the document with the page's scripts but none of their
 * objects, so nothing that the page overrides has an effect there.
 */
export interface World {
  session: CDPSession
  frame_id: string
  /** Execution context of the page's own scripts. */
  page_context: number
  context: number
  /** Names the document, for the selector engine. */
  token: string
  /** Set once known; a frame in the process of its parent is found by searching. */
  frame: Frame | null
}

interface OpenDocument {
  page_context: number
  /** Created on first use. */
  world: Promise<World | null> | null
}

/** A page, or a frame with its own process, and the documents in that process by frame id. */
interface Watch {
  session: CDPSession
  frame: Frame
  root: string
  documents: Map<string, OpenDocument>
  alive: boolean
}

interface ContextCreated {
  context: { id: number; auxData?: { isDefault?: boolean; frameId?: string } }
}

const watches = new WeakMap<Page | Frame, Promise<Watch | null>>()

/** Null for a frame in the process of its parent, whose session then knows its document. */
async function watchOf(owner: Page | Frame): Promise<Watch | null> {
  const pending = watches.get(owner)
  const world = await pending
  if (world?.alive) return world
  // The first of several concurrent callers opens it.
  if (watches.get(owner) !== pending) return watchOf(owner)
  const opened = watch(owner).catch(() => null)
  watches.set(owner, opened)
  return opened
}

async function watch(owner: Page | Frame): Promise<Watch> {
  const page = 'mainFrame' in owner ? owner : owner.page()
  const session = await page.context().newCDPSession(owner)
  const frame = 'mainFrame' in owner ? owner.mainFrame() : owner
  const documents: Watch['documents'] = new Map()
  const watched: Watch = { session, frame, root: '', documents, alive: true }
  session.on('Runtime.executionContextCreated', ({ context: { id, auxData } }: ContextCreated) => {
    if (auxData?.isDefault) documents.set(auxData.frameId ?? '', { page_context: id, world: null })
  })
  session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
    for (const [frame_id, { page_context }] of documents)
      if (page_context === executionContextId) documents.delete(frame_id)
  })
  session.on('Runtime.executionContextsCleared', () => documents.clear())
  session.on('close', () => {
    watched.alive = false
  })
  // navigation.ts needs the events of Page.
  await Promise.all([session.send('Runtime.enable'), session.send('Page.enable')])
  watched.root = (await session.send('Page.getFrameTree')).frameTree.frame.id
  return watched
}

/** The documents of a page by frame id. */
export interface Worlds {
  root: World
  all: ReadonlyMap<string, World>
}

/** Every document of a page; null while the main one is being opened. */
export async function worldsOf(page: Page): Promise<Worlds | null> {
  const frames = page.frames().filter((frame) => frame !== page.mainFrame())
  const main = await watchOf(page)
  if (!main) return null
  const others = await Promise.all(frames.map(watchOf))
  const worlds = await Promise.all([main, ...others.filter((other) => other !== null)].map(worldsIn))
  const all = new Map(worlds.flat().map((world) => [world.frame_id, world]))
  const root = all.get(main.root)
  return root ? { root, all } : null
}

/** The debugger session of a page. */
export const sessionOf = async (page: Page): Promise<CDPSession | null> => (await watchOf(page))?.session ?? null

async function worldsIn(watched: Watch): Promise<World[]> {
  const worlds = [...watched.documents].map(([frame_id, opened]) => {
    opened.world ??= makeWorld(watched, frame_id, opened).catch(() => {
      opened.world = null
      return null
    })
    return opened.world
  })
  return (await Promise.all(worlds)).filter((world) => world !== null)
}

async function makeWorld(
  { session, frame, root }: Watch,
  frame_id: string,
  { page_context }: OpenDocument,
): Promise<World> {
  const created = await session.send('Page.createIsolatedWorld', { frameId: frame_id, worldName: 'hearthd' })
  const context = created.executionContextId
  const token = crypto.randomUUID()
  const world = { session, frame_id, page_context, context, token, frame: frame_id === root ? frame : null }
  const listen = `hearthd.listen(${JSON.stringify({ secret, token })})`
  await evaluate(world, context, `${scriptOf('index')}\n${listen}`)
  return world
}

/** Evaluates an expression in one of the two worlds of a document. */
export async function evaluate({ session }: World, contextId: number, expression: string): Promise<unknown> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    contextId,
    includeCommandLineAPI: true,
    returnByValue: true,
    silent: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}

/** The element or document is no longer on the page. `toFailure` recognises the text. */
export const gone = (): Error => new Error('Element is not attached: it has left the page')

type Call<Name extends keyof PageScript> = Awaited<ReturnType<PageScript[Name]>>

/** Calls a function of the page script. The id is null for functions of the document. */
async function call(world: World, id: number | null, name: keyof PageScript, argument: unknown) {
  const { result, exceptionDetails } = await world.session.send('Runtime.callFunctionOn', {
    functionDeclaration: '(...call) => hearthd.call(...call)',
    executionContextId: world.context,
    arguments: [{ value: id }, { value: name }, { value: argument }],
    awaitPromise: true,
    returnByValue: true,
    silent: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  if (!result.value) throw gone()
  return (result.value as { value: unknown }).value
}

/** Calls a function of the document; one that returns an element returns its id. */
export async function callDocument<Name extends keyof PageScript>(
  world: World,
  name: Name,
  argument?: Parameters<PageScript[Name]>[0],
): Promise<Call<Name> extends Element | null ? number | null : Call<Name>> {
  return (await call(world, null, name, argument)) as never
}

/** Calls a function of the main document of a page. */
export async function callPage<Name extends keyof PageScript>(
  page: Page,
  name: Name,
  argument?: Parameters<PageScript[Name]>[0],
): Promise<Call<Name>> {
  const worlds = await worldsOf(page)
  if (!worlds) throw gone()
  return (await call(worlds.root, null, name, argument)) as Call<Name>
}

export async function callElement<Name extends keyof PageScript>(
  world: World,
  id: number,
  name: Name,
  argument?: Parameters<PageScript[Name]>[1],
): Promise<Call<Name> extends Element | null ? number | null : Call<Name>> {
  return (await call(world, id, name, argument)) as never
}

/** The frame id of a frame element. */
export async function frameIdOf({ session, context }: World, id: number): Promise<string | null> {
  const expression = `hearthd.elementOf(${id})`
  const { result } = await session.send('Runtime.evaluate', { expression, contextId: context })
  if (!result.objectId) return null
  const { node } = await session.send('DOM.describeNode', { objectId: result.objectId })
  await session.send('Runtime.releaseObject', { objectId: result.objectId })
  return node.frameId ?? null
}

/**
 * Runs in the isolated world that Playwright has for selector engines. It exchanges elements with the page
 * script by events of a secret type: `get` asks for an element by document and id, `on` throws if there is
 * none, because Playwright would wait for it, and `put` passes the element that is searched.
 */
const selectorEngine = () => ({
  query(root: Node, text: string): Element | null {
    return this.queryAll(root, text)[0] ?? null
  },
  queryAll(root: Node, text: string): Element[] {
    const [operation, type = '', ...rest] = text.split('.')
    const elements: Element[] = []
    const note = (event: Event) => void elements.push(event.composedPath()[0] as Element)
    addEventListener(`${type}!`, note, true)
    root.dispatchEvent(new CustomEvent(type, { detail: [operation, ...rest].join('.'), composed: true }))
    removeEventListener(`${type}!`, note, true)
    if (operation === 'on' && elements.length === 0) throw new Error('Element is not attached')
    return elements
  },
})

export const selectorFor = (operation: 'get' | 'on', { token }: World, id: number): string =>
  `hearthd=${operation}.${secret}.${token}.${id}`

export const putSelector = (key: string): string => `hearthd=put.${secret}.${key}`

/** Once per process; a page knows the engines that were registered before its first document. */
export const registerEngine = loadOnce(() =>
  selectors.register('hearthd', selectorEngine, { contentScript: true }).catch((thrown: Error) => {
    if (!/already/i.test(thrown.message)) throw thrown
  }),
)
