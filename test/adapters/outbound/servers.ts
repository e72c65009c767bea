import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LocalServer {
  port: number
  origin: string
  /** Connections so far; a canary must see none. */
  connections(): number
  /** Requests so far, as `METHOD /path`. */
  requests: string[]
  /** Lets `/stream` send its second half. */
  release(): void
  close(): Promise<void>
}

/**
 * A real server on every address of this machine. `/echo` answers what it got, `/redirect/<status>?to=` sends
 * elsewhere, `/stream` sends half and waits, everything else answers `canary`.
 */
export async function startServer(hosts = everywhere): Promise<LocalServer> {
  const requests: string[] = []
  const gate = Promise.withResolvers<void>()
  let connections = 0
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    void answer(request, response, gate.promise)
  })
  server.on('connection', () => (connections += 1))
  const port = await listen(server, hosts)
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    connections: () => connections,
    requests,
    release: gate.resolve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** `::` takes IPv4 too; a machine without IPv6 gets `0.0.0.0`. */
const everywhere = ['::', '0.0.0.0']

async function listen(server: Server, hosts: string[]): Promise<number> {
  for (const host of hosts) {
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen({ host, port: 0 }, () => resolve(true))
    })
    if (listening) return (server.address() as AddressInfo).port
  }
  throw new Error('No address to listen on')
}

async function answer(request: IncomingMessage, response: ServerResponse, released: Promise<void>): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://unused.invalid')
  const [, verb, status] = url.pathname.split('/')
  if (verb === 'redirect') {
    response.writeHead(Number(status), { location: url.searchParams.get('to') ?? '' }).end('moved')
  } else if (verb === 'page') {
    const to = url.searchParams.get('to') ?? ''
    const headers = { 'content-type': 'text/html', refresh: `0;url=${to}`, link: `<${to}>; rel=preload` }
    response.writeHead(Number(status), { ...headers, 'alt-svc': `h2="${new URL(to).host}"` })
    response.end(`<meta http-equiv="refresh" content="0;url=${to}"><img src="${to}">`)
  } else if (verb === 'echo') {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, headers } = request
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }))
  } else if (verb === 'stream') {
    response.write('first')
    await released
    response.end('second')
  } else {
    response.end('canary')
  }
}
