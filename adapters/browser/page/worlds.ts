import type { CDPSession, Frame, Page } from 'playwright'

/**
 * One document: where its own scripts run, and beside that a world that shares the document but none of its objects,
 * so that nothing the page overrides is met there. It is the driver's own, for its selectors see what we keep in it.
 */
export interface World {
  session: CDPSession
  frame_id: string
  own: number
  apart: number
  /** Known where the frame has a process of its own. */
  frame: Frame | null
}

interface Watch {
  session: CDPSession
  frame: Frame
  /** The outermost frame of this process. */
  root: string
  contexts: Map<number, { frame_id: string; own: boolean }>
  alive: boolean
}

interface ContextCreated {
  context: { id: number; name: string; auxData?: { isDefault?: boolean; frameId?: string } }
}

/** As the driver names the world that its selectors run in. */
const worldName = '__playwright_utility_world'

const watches = new WeakMap<Page | Frame, Promise<Watch | null>>()

/** Null for a frame that lives in the process of its parent, whose session then knows its documents. */
async function watchOf(owner: Page | Frame): Promise<Watch | null> {
  const asked = watches.get(owner)
  const known = await asked
  if (known?.alive) return known
  // Of several who ask at once the first opens it.
  if (watches.get(owner) !== asked) return watchOf(owner)
  const opened = watch(owner).catch(() => null)
  watches.set(owner, opened)
  return opened
}

async function watch(owner: Page | Frame): Promise<Watch> {
  const page = 'mainFrame' in owner ? owner : owner.page()
  const session = await page.context().newCDPSession(owner)
  const frame = 'mainFrame' in owner ? owner.mainFrame() : owner
  const watched: Watch = { session, frame, root: '', contexts: new Map(), alive: true }
  const { contexts } = watched
  session.on('Runtime.executionContextCreated', ({ context: { id, name, auxData } }: ContextCreated) => {
    const own = auxData?.isDefault === true
    if (own || name.startsWith(worldName)) contexts.set(id, { frame_id: auxData?.frameId ?? '', own })
  })
  session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
    contexts.delete(executionContextId)
  })
  session.on('Runtime.executionContextsCleared', () => contexts.clear())
  session.on('close', () => {
    watched.alive = false
  })
  // Of Page, who acts hears what a page wishes to open: see navigation.ts.
  await Promise.all([session.send('Runtime.enable'), session.send('Page.enable')])
  watched.root = (await session.send('Page.getFrameTree')).frameTree.frame.id
  return watched
}

/** Of one page: its documents, and which is the outermost. */
export interface Worlds {
  root: string
  /** By frame. */
  all: ReadonlyMap<string, World>
}

/** Every document of a page that stands ready; null while the outermost is being made. */
export async function worldsOf(page: Page): Promise<Worlds | null> {
  const frames = page.frames().filter((frame) => frame !== page.mainFrame())
  const main = await watchOf(page)
  if (!main) return null
  const others = await Promise.all(frames.map(watchOf))
  const watched = [main, ...others].filter((watch) => watch !== null)
  const all = new Map(watched.flatMap(ready).map((world) => [world.frame_id, world]))
  return all.has(main.root) ? { root: main.root, all } : null
}

/** The session that speaks for a whole page. */
export const sessionOf = async (page: Page): Promise<CDPSession | null> =>
  (await watchOf(page))?.session ?? null

function ready({ session, frame, root, contexts }: Watch): World[] {
  const found = new Map<string, Partial<Pick<World, 'own' | 'apart'>>>()
  for (const [id, { frame_id, own }] of contexts)
    found.set(frame_id, { ...found.get(frame_id), [own ? 'own' : 'apart']: id })
  return [...found].flatMap(([frame_id, { own, apart }]) =>
    own === undefined || apart === undefined
      ? []
      : [{ session, frame_id, own, apart, frame: frame_id === root ? frame : null }],
  )
}

/** The value of an expression in one of the two worlds of a document. */
export async function evaluateIn(
  { session }: World,
  contextId: number,
  expression: string,
): Promise<unknown> {
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

/** What a function says, given its text, in one of the two worlds of a document. */
export async function callIn(
  { session }: World,
  executionContextId: number,
  functionDeclaration: string,
  given: readonly unknown[],
): Promise<unknown> {
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    functionDeclaration,
    executionContextId,
    arguments: given.map((value) => ({ value })),
    awaitPromise: true,
    returnByValue: true,
    silent: true,
  })
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  return result.value
}
