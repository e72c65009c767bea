import { areas, sockets } from '../../handlers/index.ts'
import { unavailable } from '../../runtime/fault.ts'
import type { Host } from '../../runtime/host.ts'
import { faultResponse } from '../../runtime/http/errors.ts'
import { securityHeaders } from '../../runtime/http/headers.ts'
import { serve } from '../../runtime/http/serve.ts'
import { Alarms } from './alarms.ts'
import { addressOf, type WorkerEnvironment } from './environment.ts'
import { openHost } from './host.ts'
import { createConsoleLog } from './log.ts'
import type { ObjectState } from './platform.ts'
import { isUpgrade, upgrades } from './sockets.ts'

/** One hearthd as a Durable Object: its database, bus, clock and requests. */
export class Hearth {
  readonly #environment: WorkerEnvironment
  readonly #storage: ObjectState['storage']
  readonly #alarms: Alarms
  readonly #program = serve(areas)
  readonly #upgrade = upgrades(sockets)
  #host: Promise<Host> | undefined

  constructor(state: ObjectState, environment: WorkerEnvironment) {
    this.#environment = environment
    this.#storage = state.storage
    this.#alarms = new Alarms(state.storage)
  }

  async fetch(request: Request): Promise<Response> {
    const host = await this.#open()
    if (!host) return notStarted()
    const peer = { address: addressOf(request, this.#environment), local: false }
    return isUpgrade(request) ? this.#upgrade(request, host, peer) : this.#program(request, host, peer)
  }

  async alarm(): Promise<void> {
    const host = await this.#open()
    if (host) await this.#alarms.run(host)
  }

  /** Starts with the first call; one that failed is tried again with the next. */
  #open(): Promise<Host | null> {
    this.#host ??= openHost(this.#storage, this.#environment, () => this.#alarms.wake())
    return this.#host.catch((cause: unknown) => {
      this.#host = undefined
      createConsoleLog('error').write('error', 'hearthd could not start', { cause })
      return null
    })
  }
}

function notStarted(): Response {
  const response = faultResponse(unavailable('hearthd could not start; its log says why'))
  for (const header of Object.entries(securityHeaders)) response.headers.set(...header)
  return response
}

export default {
  /** All requests go to the one object, wherever they arrive. */
  fetch(request: Request, { HEARTH }: WorkerEnvironment): Promise<Response> {
    return HEARTH.get(HEARTH.idFromName('hearthd')).fetch(request)
  },
}
