import type { BrowserContext, Page, WebSocket } from 'playwright'
import type { NetworkRequest } from '../../runtime/browser/schema.ts'
import type { RequestSource } from './request-log.ts'

/** Switching protocols: the socket is open. */
const opened = 101

type Begin = (key: object, about: Pick<NetworkRequest, 'method' | 'url' | 'resource_type'>) => NetworkRequest

/** The sockets that pages open, among the requests: where to and whether it came about, never what is said there. */
export class SocketLog {
  readonly #source: Pick<RequestSource, 'now' | 'refusalOf'>
  readonly #begin: Begin

  constructor(source: Pick<RequestSource, 'now' | 'refusalOf'>, begin: Begin) {
    this.#source = source
    this.#begin = begin
  }

  attach(context: BrowserContext): void {
    context.on('page', (page) => this.#follow(page))
  }

  #follow(page: Page): void {
    const open = new Set<NetworkRequest>()
    page.on('websocket', (socket) => this.#add(socket, open))
    // Sockets go with their page, of which the driver says no word.
    const end = () => {
      for (const entry of open) this.#end(entry, open)
    }
    page.on('close', end)
    page.on('framenavigated', (frame) => frame === page.mainFrame() && end())
  }

  #add(socket: WebSocket, open: Set<NetworkRequest>): void {
    const url = socket.url()
    const entry = this.#begin(socket, { method: 'GET', url, resource_type: 'websocket' })
    open.add(entry)
    const answer = () => {
      if (entry.error === null) entry.status = opened
    }
    // The driver tells of an open socket when something is said on it, or it is closed in peace.
    socket.once('framesent', answer).once('framereceived', answer)
    socket.once('close', () => {
      answer()
      this.#end(entry, open)
    })
    socket.on('socketerror', (reason) => {
      this.#fail(entry, reason)
      this.#end(entry, open)
    })
  }

  #end(entry: NetworkRequest, open: Set<NetworkRequest>): void {
    if (open.delete(entry)) entry.duration_ms = Math.max(0, this.#source.now() - Date.parse(entry.started_at))
  }

  /** The first word counts: what the server answered is told once more as a broken handshake. */
  #fail(entry: NetworkRequest, reason: string): void {
    if (entry.error !== null) return
    const url = URL.parse(entry.url.replace(/^ws/i, 'http'))
    const refusal = /ERR_TUNNEL|ERR_PROXY|via proxy/.test(reason) && url ? this.#source.refusalOf(url) : null
    entry.error = refusal === null ? reason.slice(0, longestReason) : 'blocked'
    entry.blocked_reason = refusal
    const answered = /: (\d{3})$/.exec(reason)?.[1]
    entry.status = answered === undefined ? entry.status : Number(answered)
  }
}

const longestReason = 300
