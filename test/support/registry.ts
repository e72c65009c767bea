import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

const upstream = 'https://registry.npmjs.org'

export interface TestRegistry {
  url: string
  /** Archives that were asked for and are held back. */
  held(): number
  /** Lets every archive go, from now on. */
  release(): void
}

/** The package registry, behind a door that holds archives back, so that an installation can be met in the middle. */
export async function startRegistry(): Promise<TestRegistry> {
  let held = 0
  const { promise: open, resolve: release } = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    if (request.method === 'GET' && path.endsWith('.tgz')) {
      held += 1
      await open
    }
    const headers = { accept: request.headers.accept ?? '*/*' }
    const answer = await fetch(upstream + path, { method: request.method ?? 'GET', headers })
    const kept = ['content-type', ...(request.method === 'HEAD' ? ['content-length'] : [])]
    const told = kept.map((name) => [name, answer.headers.get(name) ?? ''])
    response.writeHead(answer.status, Object.fromEntries(told)).end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    release()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, held: () => held, release }
}
