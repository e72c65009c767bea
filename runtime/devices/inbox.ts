import type { Socket } from '../http/socket.ts'
import { closing } from './live.ts'

type Incoming = string | Uint8Array

const maxWaiting = 1_000
const maxWaitingBytes = 4 * 1024 * 1024

/**
 * A queue of a socket's frames, which are processed one at a time, in order, including those that arrive before there is
 * a handler. A client that sends faster than its frames are processed is disconnected.
 */
export class Inbox {
  readonly #waiting: Incoming[] = []
  #bytes = 0
  #wake = Promise.withResolvers<void>()
  #closed = false

  constructor(socket: Socket) {
    socket.onMessage((frame) => {
      if (this.#closed) return
      this.#waiting.push(frame)
      this.#bytes += frame.length
      if (this.#waiting.length > maxWaiting || this.#bytes > maxWaitingBytes) {
        this.#close()
        socket.close(closing.malformed, 'Frames arrive faster than they can be processed')
      }
      this.#wake.resolve()
    })
    socket.onClose(() => this.#close())
  }

  #close(): void {
    this.#closed = true
    this.#waiting.length = 0
    this.#wake.resolve()
  }

  /** Processes frames until the socket closes or a handler throws. */
  async serve(handle: (frame: Incoming) => Promise<void>, failed: (cause: unknown) => void): Promise<void> {
    try {
      while (!this.#closed) {
        await this.#wake.promise
        this.#wake = Promise.withResolvers()
        for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) {
          this.#bytes -= frame.length
          await handle(frame)
        }
      }
    } catch (cause) {
      this.#close()
      failed(cause)
    }
  }
}
