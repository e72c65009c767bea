import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutbound, type NodeOutbound } from '../../../adapters/outbound/outbound.ts'

export interface Site {
  origin: string
  /** The guard, open for this site alone. */
  outbound: NodeOutbound
  close(): Promise<void>
}

/** A real web server on loopback and a real guard that may reach it. */
export async function openSite(listener: RequestListener): Promise<Site> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const outbound = createOutbound({ allowlist: [`127.0.0.1:${port}`] })
  return {
    origin: `http://127.0.0.1:${port}`,
    outbound,
    async close() {
      await outbound.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
