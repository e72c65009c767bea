import type { ServerResponse } from 'node:http'

/** Milliseconds that a client may leave what was sent to it unread. */
const patience = 30_000

/** Writes an answer of the program to the connection. A stream goes at the pace of its reader. */
export async function send(response: Response, target: ServerResponse, unread = patience): Promise<void> {
  const { body } = response
  if (target.destroyed) return void body?.cancel().catch(() => undefined)
  const headers = Object.fromEntries(response.headers)
  if (!body) return void target.writeHead(response.status, headers).end()
  if (headers['content-type'] === 'application/json') return sendWhole(response, headers, target)
  target.writeHead(response.status, headers)
  await pump(body.getReader(), target, unread)
}

/** As text, because Node sends the head and a text in one write, and the head and bytes in two. */
async function sendWhole(
  response: Response,
  headers: Record<string, string>,
  target: ServerResponse,
): Promise<void> {
  const text = await response.text()
  target.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text)
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  target: ServerResponse,
  unread: number,
): Promise<void> {
  const left = () => void reader.cancel().catch(() => undefined)
  target.once('close', left)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || target.destroyed) break
      if (!target.write(value)) await drained(target, unread)
    }
    target.end()
  } catch {
    // The source broke after the head had gone: cutting the connection is all that can be said.
    target.destroy()
  }
}

/** Resolves when there is room again; a client that never reads is dropped. */
function drained(target: ServerResponse, unread: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => target.destroy(), unread)
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
