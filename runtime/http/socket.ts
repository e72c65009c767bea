import type { Context } from '../context.ts'
import type { Access } from './endpoint.ts'

/** One open WebSocket, as a host lends it. Sending after the close does nothing. */
export interface Socket {
  send(text: string | Uint8Array): void
  /** `code` as of RFC 6455, section 7.4; 4401 is a credential that no longer holds. */
  close(code: number, reason: string): void
  /** Bytes sent but not yet taken by the peer: the measure of a client that does not read. */
  buffered(): number
  onMessage(listener: (text: string | Uint8Array) => void): void
  onClose(listener: () => void): void
}

/** An endpoint that answers with a WebSocket. The credential is the query parameter `token`. */
export interface SocketEndpoint {
  method: 'GET'
  path: string
  summary: string
  access: Access
  /** Most bytes of one incoming frame. */
  max_frame_bytes: number
  open(socket: Socket, context: Context): void | Promise<void>
}

export const socketEndpoint = (definition: Omit<SocketEndpoint, 'method'>): SocketEndpoint => ({
  method: 'GET',
  ...definition,
})
