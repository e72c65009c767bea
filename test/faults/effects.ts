import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that counts what tools did to it. */
export interface Effects extends AsyncDisposable {
  url: string
  /** Requests that came to this path. */
  count(path: string): number
  /** Called for each request before it is answered. */
  onRequest: (path: string) => unknown
  /** Leaves every request without an answer from now on. */
  hold(): void
  /** Answers what was held, and everything from now on. */
  release(): void
}

export async function startEffects(): Promise<Effects> {
  const counts = new Map<string, number>()
  const held: ServerResponse[] = []
  let holding = false
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    counts.set(path, (counts.get(path) ?? 0) + 1)
    effects.onRequest(path)
    if (holding) held.push(response)
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{"taken":true}')
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const effects: Effects = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (path) => counts.get(path) ?? 0,
    onRequest: () => undefined,
    hold() {
      holding = true
    },
    release() {
      holding = false
      for (const response of held.splice(0)) response.end()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return effects
}
