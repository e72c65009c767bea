import type { WebSocket } from 'ws'
import type { Socket } from '../../../runtime/http/socket.ts'

/** Bytes that may wait for a client; more and it is dropped, for it does not read. */
const mostBuffered = 1024 * 1024
/** RFC 6455, section 7.4.1: the server is unable to go on. */
const tooSlow = 1013

/** The program's view of a WebSocket. */
export function frameSocket(socket: WebSocket): Socket {
  return {
    send(frame) {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > mostBuffered) return drop(socket)
      socket.send(frame)
    },
    close: (code, reason) => closeSocket(socket, code, reason),
    buffered: () => socket.bufferedAmount,
    onMessage: (listener) =>
      void socket.on('message', (data, binary) => {
        const bytes = data as Buffer
        listener(binary ? new Uint8Array(bytes) : bytes.toString('utf8'))
      }),
    onClose(listener) {
      if (socket.readyState === socket.CLOSED) listener()
      else socket.once('close', () => listener())
    },
  }
}

/** Milliseconds for the other side to answer a close. */
const goodbye = 2_000

/** Reasons are cut to what a close frame holds (123 bytes). */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === socket.CLOSED) return
  socket.close(
    code,
    Buffer.from(reason)
      .subarray(0, 123)
      .toString('utf8')
      .replace(/\ufffd$/, ''),
  )
  setTimeout(() => socket.terminate(), goodbye).unref()
}

function drop(socket: WebSocket): void {
  socket.close(tooSlow, 'This client does not read')
  socket.terminate()
}
