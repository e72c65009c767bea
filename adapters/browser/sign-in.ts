import type { Browser, BrowserContext, CDPSession } from 'playwright'
import type { HttpCredentials } from '../../runtime/ports/browser.ts'
import type { Part } from './profiles.ts'

/** Requests that are remembered: a site that asks twice for the same one rejects the credentials. */
const maxAnswered = 1_000

/**
 * Answers sites that ask for a user name and password by HTTP. Playwright's own option is for one site. The session is
 * that of the whole browser, so frames, windows, workers and downloads are included.
 */
export class HttpSignIn implements Part {
  #credentials: readonly HttpCredentials[] = []
  #session: CDPSession | null = null
  #browser: Browser | null = null
  readonly #answered = new Set<string>()

  async attach(context: BrowserContext): Promise<void> {
    const browser = context.browser()
    if (!browser || browser === this.#browser) return
    this.#browser = browser
    this.#session = null
    this.#answered.clear()
    await this.#follow()
  }

  async use(credentials: readonly HttpCredentials[]): Promise<void> {
    this.#credentials = credentials
    if (this.#browser?.isConnected()) await this.#follow()
  }

  /** Only requests to these sites are paused. */
  async #follow(): Promise<void> {
    if (this.#credentials.length === 0) {
      await this.#session?.send('Fetch.disable')
      return
    }
    this.#session ??= await this.#open()
    const patterns = this.#credentials.map(({ origin }) => ({ urlPattern: `${origin}/*` }))
    await this.#session?.send('Fetch.enable', { handleAuthRequests: true, patterns })
  }

  async #open(): Promise<CDPSession | null> {
    const session = (await this.#browser?.newBrowserCDPSession()) ?? null
    session?.on('Fetch.requestPaused', ({ requestId }) => {
      session.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
    })
    session?.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
      const { source, origin } = authChallenge
      const authChallengeResponse = source === 'Proxy' ? proxied : this.#answer(requestId, origin)
      session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined)
    })
    return session
  }

  #answer(requestId: string, challenger: string) {
    const credential = this.#credentials.find(({ origin }) => origin === challenger.replace(/\/$/, ''))
    if (!credential || this.#answered.has(requestId)) return { response: 'CancelAuth' as const }
    this.#answered.add(requestId)
    for (const old of [...this.#answered].slice(0, -maxAnswered)) this.#answered.delete(old)
    const { username, password } = credential
    return { response: 'ProvideCredentials' as const, username, password }
  }
}

const proxied = { response: 'Default' as const }
