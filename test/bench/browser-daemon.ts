import { once } from 'node:events'
import { type Running, setUp } from './processes.ts'

/** A daemon of a benchmark, with what its browser is asked for. */
export class BrowserDaemon {
  readonly running: Running
  readonly key: string

  constructor(running: Running, key: string) {
    this.running = running
    this.key = key
  }

  /** A new one, whose browser may open pages of this machine. */
  static async setUp(running: Running): Promise<BrowserDaemon> {
    const daemon = new BrowserDaemon(running, await setUp(running.url))
    await daemon.send('PUT', '/api/browser/config', { ssrf_allowlist: ['127.0.0.1'] })
    return daemon
  }

  async send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const { status, text } = await this.ask(method, path, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  }

  /** The same for a request that may be refused; reads the whole answer. */
  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(this.running.url + path, init)
    return { status: response.status, text: await response.text() }
  }

  goto(url: string): Promise<unknown> {
    return this.send('POST', '/api/browser/action', { action: 'goto', url })
  }

  /** A watcher of the live view; returns how to leave. */
  watch(seen: (frame: unknown) => void = () => undefined): () => void {
    const address = `${this.running.url.replace('http', 'ws')}/api/browser/stream?token=${this.key}`
    const socket = new WebSocket(address)
    socket.onerror = () => undefined
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') seen(data)
    }
    return () => socket.close()
  }

  async kill(): Promise<void> {
    this.running.process.kill('SIGKILL')
    await once(this.running.process, 'exit')
  }
}
