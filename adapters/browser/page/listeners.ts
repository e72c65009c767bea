import type { CDPSession, Frame, Page } from 'playwright'

/** What a person can do to an element; who listens for it wants to be used. */
const events = [
  'click',
  'dblclick',
  'mousedown',
  'mouseup',
  'pointerdown',
  'pointerup',
  'touchstart',
  'contextmenu',
  'dragstart',
  'drop',
]

/** A document's own context, where its page's scripts run. */
interface Watch {
  session: CDPSession
  contexts: Map<number, string>
}

const watches = new WeakMap<Page | Frame, Promise<Watch | null>>()

interface ContextCreated {
  context: { id: number; auxData?: { isDefault?: boolean; frameId?: string } }
}

/** Null for a frame that lives in the process of its parent, whose session then knows its context. */
function watchOf(owner: Page | Frame): Promise<Watch | null> {
  const known = watches.get(owner)
  if (known) return known
  const opened = watch(owner).catch(() => null)
  watches.set(owner, opened)
  return opened
}

async function watch(owner: Page | Frame): Promise<Watch> {
  const page = 'mainFrame' in owner ? owner : owner.page()
  const session = await page.context().newCDPSession(owner)
  const contexts = new Map<number, string>()
  session.on('Runtime.executionContextCreated', ({ context: { id, auxData } }: ContextCreated) => {
    if (auxData?.isDefault) contexts.set(id, auxData.frameId ?? '')
  })
  session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
    contexts.delete(executionContextId)
  })
  session.on('Runtime.executionContextsCleared', () => contexts.clear())
  await session.send('Runtime.enable')
  return { session, contexts }
}

/** Only the console of the debugger knows who listens. */
const collect = (mark: string) => `(() => {
  const events = ${JSON.stringify(events)}
  const found = new Set()
  const visit = (root) => {
    for (const element of [...root.querySelectorAll('*')].slice(0, 20000)) {
      const listeners = getEventListeners(element)
      if (events.some((event) => listeners[event])) found.add(element)
      if (element.shadowRoot) visit(element.shadowRoot)
    }
  }
  visit(document)
  if (found.size > 0) globalThis[${JSON.stringify(mark)}] = found
})()`

/** Leaves the elements that listen in each document under the name `mark`, which the walk takes away again. */
export async function markListeners(page: Page, mark: string): Promise<void> {
  const owners = [page, ...page.frames().filter((frame) => frame !== page.mainFrame())]
  const expression = collect(mark)
  await Promise.all(
    owners.map(async (owner) => {
      const found = await watchOf(owner)
      if (!found) return
      const { session, contexts } = found
      const all = [...contexts.keys()].map((contextId) => {
        const evaluate = { expression, contextId, includeCommandLineAPI: true, silent: true, timeout: 1_000 }
        return session.send('Runtime.evaluate', evaluate).catch(() => undefined)
      })
      await Promise.all(all)
    }),
  )
}
