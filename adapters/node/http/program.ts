import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServerAdapter } from '@whatwg-node/server'
import { Fault } from '../../../runtime/fault.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import { textOf } from '../../../runtime/http/returns.ts'
import type { Routes } from '../../../runtime/http/routes.ts'
import { serve } from '../../../runtime/http/serve.ts'
import type { ProxyPolicy } from './request.ts'
import { refuse } from './server.ts'

interface NodeContext {
  req: IncomingMessage
}

/** Turns the requests of a Node server into web requests and sends the answers of the program. */
export function programAnswer(areas: readonly Routes<Endpoint>[], host: Host, proxies: ProxyPolicy) {
  const program = serve(areas)
  const adapter = createServerAdapter<NodeContext>(
    (request, { req }) => program(request, host, proxies.peerOf(req)),
    // The program makes a native signal of it anyway.
    { __useCustomAbortCtrl: false },
  )
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The adapter reads both when it makes the web request.
    Object.assign(request, { protocol: proxies.protocolOf(request), body: bodyOf(request) })
    try {
      const answer = await adapter.handleNodeRequestAndResponse(request, response, { req: request })
      await send(answer, response)
    } catch (thrown) {
      host.log.write('error', 'a request could not be answered', { cause: thrown })
      await refuse(response, new Fault(500, 'internal_error', 'An internal error occurred; see the log'))
    }
  }
}

/**
 * The body as a stream whose reader may stop early. The connection stays open then, or the client would never
 * see why it was refused; the rest of the body is discarded, within the time limit of a body.
 */
function bodyOf(request: IncomingMessage): AsyncIterable<Uint8Array> & { readonly streamed: true } {
  const chunks = request.iterator({ destroyOnReturn: false })
  const stopped = { done: true, value: undefined } as const
  const drop = async () => {
    await chunks.return?.()
    request.resume()
    return stopped
  }
  return { streamed: true, [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: drop }) }
}

/** Milliseconds that sent data may remain unread. */
const readTimeout = 30_000

/** Sends an answer of the program. A stream is read at the pace of its client. */
export async function send(response: Response, target: ServerResponse, timeout = readTimeout): Promise<void> {
  const { body } = response
  if (target.destroyed) return void body?.cancel().catch(() => undefined)
  const headers = Object.fromEntries(response.headers)
  if (!body) return void target.writeHead(response.status, headers).end()
  if (headers['content-type'] === 'application/json') return sendWhole(response, headers, target)
  target.writeHead(response.status, headers)
  await pump(body.getReader(), target, timeout)
}

/** Node sends the head and a text in one write, but the head and bytes in two. */
async function sendWhole(response: Response, headers: Record<string, string>, target: ServerResponse): Promise<void> {
  const text = await textOf(response)
  target.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  target: ServerResponse,
  timeout: number,
): Promise<void> {
  const left = () => void reader.cancel().catch(() => undefined)
  target.once('close', left)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || target.destroyed) break
      if (!target.write(value)) await drained(target, timeout)
    }
    target.end()
  } catch {
    // The source failed after the head was sent: all that is left is to cut the connection.
    target.destroy()
  }
}

/** Resolves when the buffer has drained; a client that does not read is dropped. */
function drained(target: ServerResponse, timeout: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => target.destroy(), timeout)
    const done = () => {
      clearTimeout(timer)
      target.off('drain', done)
      target.off('close', done)
      resolve()
    }
    target.once('drain', done)
    target.once('close', done)
  })
}
