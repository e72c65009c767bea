import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Fault } from '../../runtime/fault.ts'
import type { Host } from '../../runtime/host.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { toFault } from '../../runtime/http/errors.ts'
import { securityHeaders } from '../../runtime/http/headers.ts'
import type { Routes } from '../../runtime/http/routes.ts'
import type { SocketEndpoint } from '../../runtime/http/socket.ts'
import type { Environment } from './environment.ts'
import { programAnswer } from './http/program.ts'
import { checkTarget, type HostPolicy, type ProxyPolicy, proxyPolicy } from './http/request.ts'
import { createHttpServer, refuse, refuseSocket } from './http/server.ts'
import { createUpgrades, type Upgrades } from './sockets.ts'
import { acceptTls } from './tls/accept.ts'
import type { Certificates } from './tls/authority.ts'
import { answerWithAuthority, isAuthorityRequest } from './tls/authority-page.ts'
import { answerWithUi, isUiRequest } from './ui.ts'
import { warmUp } from './warm-up.ts'

interface Program {
  areas: readonly Routes<Endpoint>[]
  sockets: readonly SocketEndpoint[]
  host: Host
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>

const starting = () => new Fault(503, 'unavailable', 'hearthd is starting', { headers: { 'retry-after': '1' } })
const stopping = () => new Fault(503, 'unavailable', 'hearthd is stopping')

const isProbe = ({ url }: IncomingMessage): boolean => /^\/(health|api\/health|api\/metrics)\b/.test(url ?? '')

function answerAlive(response: ServerResponse): void {
  response.writeHead(200, { ...securityHeaders, 'content-type': 'application/json' }).end('{"status":"alive"}')
}

/** The HTTP side of the daemon. It listens before the program is ready and answers 503 until then. */
export class Front {
  readonly server: Server
  readonly #policy: HostPolicy
  readonly #proxies: ProxyPolicy
  readonly #webFolder: string
  readonly #certificates: Certificates | null
  /** Drops connections that have said nothing yet. */
  #dropSilent: () => void = () => undefined
  #warm = false
  #program: { host: Host; answer: Answer; upgrades: Upgrades } | null = null

  constructor({ allowed_hosts, trusted_proxies }: Environment, webFolder: string, certificates: Certificates | null) {
    this.#policy = { allowed: allowed_hosts }
    this.#proxies = proxyPolicy(trusted_proxies)
    this.#webFolder = webFolder
    this.#certificates = certificates
    this.server = createHttpServer((request, response) => this.#answer(request, response))
    this.server.on('upgrade', (request, raw, head) => void this.#upgrade(request, raw, head))
    if (certificates) this.#dropSilent = acceptTls(this.server, () => certificates.current())
  }

  serve({ areas, sockets, host }: Program): void {
    const answer = programAnswer(areas, host, this.#proxies)
    this.#program = { host, answer, upgrades: createUpgrades(sockets, host, this.#proxies) }
    host.process.stopping.addEventListener('abort', () => this.#dropSilent(), { once: true })
  }

  /** After a failed start. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close')
    this.server.close()
    this.server.closeAllConnections()
    this.#dropSilent()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      checkTarget(request, this.#policy)
      const authority = this.#certificates?.authority
      if (authority && isAuthorityRequest(request)) return answerWithAuthority(authority, request, response)
      this.#requireTls(request)
      if (!this.#program && request.url === '/health/live') return answerAlive(response)
      const program = this.#running()
      if (program.host.config.ui && isUiRequest(request)) {
        if (await answerWithUi(this.#webFolder, request, response)) return
      }
      if (!isProbe(request)) this.#warmUpOnce(program.host)
      await program.answer(request, response)
    } catch (thrown) {
      await refuse(response, toFault(thrown))
    }
  }

  /** With a certificate, nobody's credentials cross the network in the clear. Throws a redirect for pages, else a 403. */
  #requireTls(request: IncomingMessage): void {
    if (!this.#certificates || this.#proxies.isPrivate(request)) return
    const { method = '', url = '', headers } = request
    const address = `https://${headers.host}${url}`
    if (!['GET', 'HEAD'].includes(method) || headers.upgrade !== undefined)
      throw new Fault(403, 'https_required', 'This hearthd answers the network over HTTPS only')
    throw new Fault(308, 'https_required', `Use ${address}`, { headers: { location: address } })
  }

  /** So a daemon that is only probed stays small. */
  #warmUpOnce({ process, log }: Host): void {
    if (this.#warm) return
    this.#warm = true
    void warmUp(process.stopping, log)
  }

  async #upgrade(request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> {
    raw.on('error', () => raw.destroy())
    try {
      checkTarget(request, this.#policy)
      this.#requireTls(request)
      await this.#running().upgrades.answer(request, raw, head)
    } catch (thrown) {
      await refuseSocket(raw, toFault(thrown)).catch(() => raw.destroy())
    }
  }

  #running() {
    if (!this.#program) throw starting()
    if (this.#program.host.process.stopping.aborted) throw stopping()
    return this.#program
  }
}
