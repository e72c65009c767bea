import { areas, sockets } from '../../handlers/index.ts'
import { notFound, unavailable } from '../../runtime/fault.ts'
import type { Host } from '../../runtime/host.ts'
import { faultResponse } from '../../runtime/http/errors.ts'
import { securityHeaders } from '../../runtime/http/headers.ts'
import { serve } from '../../runtime/http/serve.ts'
import { Alarms } from './alarms.ts'
import { addressOf, configOf, type WorkerEnvironment } from './environment.ts'
import { environmentOf, findHome, hasHomes } from './homes.ts'
import { openHost } from './host.ts'
import { createConsoleLog } from './log.ts'
import type { ObjectState } from './platform.ts'
import { isUpgrade, Sockets } from './sockets.ts'
import { answerWithUi } from './ui.ts'
import { answerUnused, bringsSetupToken, isUsed } from './unused.ts'

/** One hearthd as a Durable Object: its database, bus, clock and requests. */
export class Hearth {
  readonly #environment: WorkerEnvironment
  readonly #state: ObjectState
  readonly #alarms: Alarms
  readonly #program = serve(areas)
  readonly #sockets: Sockets
  #host: Promise<Host> | undefined

  constructor(state: ObjectState, environment: WorkerEnvironment) {
    this.#environment = environment
    this.#state = state
    this.#alarms = new Alarms(state.storage)
    this.#sockets = new Sockets(sockets, state)
  }

  async fetch(request: Request): Promise<Response> {
    const unused = this.#unused(request)
    if (unused) return unused
    const host = await this.#open()
    if (!host) return notStarted()
    const peer = { address: addressOf(request, this.#environment), local: false }
    return isUpgrade(request) ? this.#sockets.upgrade(request, host, peer) : this.#program(request, host, peer)
  }

  async alarm(): Promise<void> {
    const host = await this.#open()
    if (host) await this.#alarms.run(host)
  }

  /** The object may have slept since the last frame. */
  async webSocketMessage(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    if (await this.#open()) this.#sockets.receive(socket, data)
  }

  async webSocketClose(socket: WebSocket): Promise<void> {
    this.#sockets.closed(socket)
  }

  async webSocketError(socket: WebSocket): Promise<void> {
    this.#sockets.failed(socket)
  }

  /** One of several homes opens with its setup. */
  #unused(request: Request): Response | null {
    if (this.#host || !hasHomes(this.#environment) || isUsed(this.#state.storage.sql)) return null
    const config = configOf(environmentOf(this.#environment, this.#state.id.name))
    return bringsSetupToken(request, config) ? null : secured(answerUnused(request, config))
  }

  /** Starts with the first call; one that failed is tried again with the next. */
  #open(): Promise<Host | null> {
    this.#host ??= this.#start()
    return this.#host.catch((cause: unknown) => {
      this.#host = undefined
      createConsoleLog('error').write('error', 'hearthd could not start', { cause })
      return null
    })
  }

  async #start(): Promise<Host> {
    const environment = environmentOf(this.#environment, this.#state.id.name)
    return openHost(this.#state.storage, environment, {
      wake: () => this.#alarms.wake(),
      assembled: (host) => this.#sockets.wake(host),
    })
  }
}

function secured(response: Response): Response {
  for (const header of Object.entries(securityHeaders)) response.headers.set(...header)
  return response
}

const notStarted = () => secured(faultResponse(unavailable('hearthd could not start; its log says why')))

/** Requests of a home go to its one object, wherever they arrive. */
async function forward(request: Request, environment: WorkerEnvironment): Promise<Response> {
  const { HEARTH, ASSETS } = environment
  const url = new URL(request.url)
  const home = findHome(url, environment)
  if (!home) return secured(faultResponse(notFound(`A home at ${url.host}`)))
  const page = home.prefix === '' && ASSETS ? await answerWithUi(request, ASSETS) : null
  if (page) return page
  url.pathname = url.pathname.slice(home.prefix.length)
  return HEARTH.get(HEARTH.idFromName(home.name)).fetch(home.prefix ? new Request(url, request) : request)
}

export default {
  fetch: (request: Request, environment: WorkerEnvironment): Promise<Response> =>
    forward(request, environment).catch((cause: unknown) => {
      createConsoleLog('error').write('error', 'a request failed before it reached its home', { cause })
      return notStarted()
    }),
}
