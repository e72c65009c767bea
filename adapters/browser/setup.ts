import { isDeepStrictEqual } from 'node:util'
import type { BrowserContextOptions } from 'playwright'
import type { BrowserSetup } from '../../runtime/ports/browser.ts'
import { identityOf } from './identity.ts'
import type { Locate } from './proxy.ts'
import type { Session } from './session.ts'

/** The guard of outgoing requests, with these lists beside the operator's. */
export type Guard = (lists: { allow: readonly string[]; block: readonly string[] }) => Locate

/** What runs of the browser, as far as another setup concerns it. */
export interface Affected {
  session: Session | null
  proxy: { drop(): void } | null
}

/** What a person decided, and what follows from it. */
export class Setup {
  readonly #guard: Guard
  #setup: BrowserSetup | null = null
  #locate: Locate
  #turn: Promise<unknown> = Promise.resolve()

  constructor(guard: Guard) {
    this.#guard = guard
    this.#locate = guard({ allow: [], block: [] })
  }

  get headless(): boolean {
    return this.#setup?.config.headless ?? true
  }

  get identity(): BrowserContextOptions {
    return this.#setup ? identityOf(this.#setup.profile, this.#setup.emulation) : {}
  }

  /** By the lists of this moment. */
  readonly locate: Locate = (url) => this.#locate(url)

  /** Takes another setup, one at a time; who asks for one that is being taken waits for it. */
  use(wanted: BrowserSetup, running: Affected): Promise<void> {
    const turn = this.#turn.then(() => this.#change(wanted, running))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #change(wanted: BrowserSetup, running: Affected): Promise<void> {
    if (isDeepStrictEqual(wanted, this.#setup)) return
    const before = { identity: this.identity, lists: listsOf(this.#setup) }
    this.#setup = structuredClone(wanted)
    const lists = listsOf(wanted)
    if (!isDeepStrictEqual(lists, before.lists)) {
      this.#locate = this.#guard(lists)
      // What is open already was judged by the lists of before.
      running.proxy?.drop()
    }
    const { session } = running
    if (session && !isDeepStrictEqual(this.identity, before.identity)) await session.renew(this.identity)
  }
}

const listsOf = (setup: BrowserSetup | null) => ({
  allow: setup?.config.ssrf_allowlist ?? [],
  block: setup?.config.ssrf_blocklist ?? [],
})
