import type { Context } from '../context.ts'
import type { Access } from './endpoint-info.ts'

/** An open WebSocket of the host. Sending after it is closed does nothing. */
export interface Socket {
  send(text: string | Uint8Array): void
  /** `code`: RFC 6455, section 7.4; 4401 means that the credential is no longer valid. */
  close(code: number, reason: string): void
  /** Bytes buffered because the peer has not received them yet; large for a client that does not read. */
  buffered(): number
  onMessage(listener: (text: string | Uint8Array) => void): void
  onClose(listener: () => void): void
}

/** A WebSocket endpoint. The query parameter `token` is the credential. */
export interface SocketEndpoint {
  method: 'GET'
  path: string
  summary: string
  access: Access
  /** Maximum bytes of an incoming frame. */
  max_frame_bytes: number
  /** `token`: the query parameter, for a `public` endpoint that checks it itself. */
  open(socket: Socket, context: Context, token: string | null): void | Promise<void>
  /**
   * For a socket whose state is the last frame of one kind that the client sent: that frame as it is delivered again when a
   * host that slept opens the socket again, or null for a frame that changes nothing. Without this, an open socket keeps its
   * host awake. ASCII, at most 14 KiB.
   */
  resume?(frame: string): string | null
}

export const socketEndpoint = (definition: Omit<SocketEndpoint, 'method'>): SocketEndpoint => ({
  method: 'GET',
  ...definition,
})
