import type { BrowserContext } from 'playwright'
import type { Mock, NetworkRequest } from '../../runtime/browser/schema.ts'
import { defaultConfig } from '../../runtime/config.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { HarRecorder } from './har.ts'
import { Mocks } from './mocks.ts'
import type { Part } from './part.ts'
import { RequestLog } from './request-log.ts'

const creator = { name: 'hearthd', version: defaultConfig.version }

/** What the pages ask of the network: the log, the archive, and answers of our own. */
export class Network implements Part {
  readonly #clock: Pick<Clock, 'now'>
  readonly #mocks = new Mocks()
  readonly #log: RequestLog
  readonly #contexts = new Set<BrowserContext>()
  #har: HarRecorder | null = null

  /** @param refusalOf why the guard refused the last request to the host of an address; null when it did not */
  constructor(clock: Pick<Clock, 'now'>, refusalOf: (url: URL) => string | null) {
    this.#clock = clock
    const mockedSize = this.#mocks.sizeOf
    this.#log = new RequestLog({ now: () => clock.now(), refusalOf, mockedSize })
  }

  async attach(context: BrowserContext): Promise<void> {
    this.#contexts.add(context)
    context.on('close', () => this.#contexts.delete(context))
    this.#log.attach(context)
    this.#har?.attach(context)
    await this.#mocks.attach(context)
  }

  requests(): NetworkRequest[] {
    return this.#log.list()
  }

  /** One that runs is begun anew. */
  startHar(): void {
    this.#har?.detach()
    this.#har = new HarRecorder(this.#clock)
    for (const context of this.#contexts) this.#har.attach(context)
  }

  /** Null when none was started. */
  async stopHar({ keep_credentials }: { keep_credentials: boolean }): Promise<unknown> {
    const har = this.#har
    this.#har = null
    return har ? har.stop({ keep_credentials, creator }) : null
  }

  /** The archive that is being made. */
  get har(): { started_at: number; entries: number } | null {
    return this.#har?.standing ?? null
  }

  mocks(): Mock[] {
    return this.#mocks.list()
  }

  mock(mock: Mock): Promise<void> {
    return this.#mocks.add(mock)
  }

  clearMocks(): Promise<number> {
    return this.#mocks.clear()
  }
}
