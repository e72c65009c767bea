import { isDeepStrictEqual } from 'node:util'
import { type BrowserContextOptions, devices } from 'playwright'
import type { BrowserProfile, BrowserSetup, Emulation } from '../../runtime/ports/browser.ts'
import { defaultLocale } from '../../runtime/tabs/schema.ts'
import { defined } from '../../runtime/values.ts'
import type { Locate } from './proxy.ts'
import type { Session } from './session.ts'
import { HttpSignIn } from './sign-in.ts'

/** The guard of outgoing requests, with these lists added to the operator's. */
export type Guard = (lists: { allow: readonly string[]; block: readonly string[] }) => Locate

/** The running browser, as far as a change of the setup affects it. */
interface Affected {
  session: Session | null
  proxy: { drop(): void } | null
}

/** The configured identity and host lists, and their effect on the running browser. */
export class Setup {
  readonly signIn = new HttpSignIn()
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
    return this.#setup ? identityOf(this.#setup.profile, this.#setup.emulation) : { locale: defaultLocale }
  }

  /** Uses the current lists. */
  readonly locate: Locate = (url) => this.#locate(url)

  /** Applies a setup, one at a time. */
  use(next: BrowserSetup, running: Affected): Promise<void> {
    const turn = this.#turn.then(() => this.#change(next, running))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #change(next: BrowserSetup, running: Affected): Promise<void> {
    if (isDeepStrictEqual(next, this.#setup)) return
    const credentials = this.#setup?.credentials ?? []
    const before = { identity: this.identity, lists: listsOf(this.#setup), credentials }
    this.#setup = structuredClone(next)
    const lists = listsOf(next)
    if (!isDeepStrictEqual(lists, before.lists)) {
      this.#locate = this.#guard(lists)
      // Open connections were checked against the previous lists.
      running.proxy?.drop()
    }
    if (!isDeepStrictEqual(this.identity, before.identity)) await running.session?.profiles.identify(this.identity)
    if (!isDeepStrictEqual(next.credentials, before.credentials)) await this.signIn.use(next.credentials)
  }
}

const listsOf = (setup: BrowserSetup | null) => ({
  allow: setup?.config.ssrf_allowlist ?? [],
  block: setup?.config.ssrf_blocklist ?? [],
})

const defaultViewport = { width: 1280, height: 720 }

/** The names of the devices that can be emulated. */
export const presets = (): string[] => Object.keys(devices)

/** The browser identity. Explicit values take precedence over the preset. */
function identityOf(profile: BrowserProfile, emulation: Emulation): BrowserContextOptions {
  const { preset, viewport, device_scale_factor, is_mobile } = emulation
  const device = preset ? devices[preset] : undefined
  const userAgent = profile.user_agent ?? emulation.user_agent ?? device?.userAgent
  return defined({
    viewport: viewport ?? device?.viewport ?? defaultViewport,
    deviceScaleFactor: device_scale_factor ?? device?.deviceScaleFactor,
    isMobile: is_mobile ?? device?.isMobile,
    hasTouch: device?.hasTouch ?? is_mobile,
    userAgent,
    locale: profile.locale ?? defaultLocale,
    timezoneId: profile.timezone ?? undefined,
    colorScheme: profile.color_scheme ?? undefined,
    geolocation: profile.geolocation ?? undefined,
    permissions: profile.geolocation ? ['geolocation'] : undefined,
  })
}
