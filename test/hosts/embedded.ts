import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServerAdapter } from '@whatwg-node/server'
import { createClock } from '../../adapters/clock/clock.ts'
import {
  noBackups,
  noDatabases,
  noMail,
  noOutbound,
  noPackages,
  noPush,
  noRepositories,
  noSandbox,
  noToolServers,
  noVisualization,
  unknownMachine,
} from '../../adapters/memory/absent.ts'
import { noBrowser } from '../../adapters/memory/browser.ts'
import { createBus } from '../../adapters/memory/bus.ts'
import { createWordEmbedder } from '../../adapters/memory/embedder.ts'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { createMemoryMetrics } from '../../adapters/memory/metrics.ts'
import { createReader } from '../../adapters/memory/reader.ts'
import { createScript } from '../../adapters/memory/script.ts'
import { createMemorySecrets } from '../../adapters/memory/secrets.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { proxyPolicy } from '../../adapters/node/http/request.ts'
import { createUpgrades } from '../../adapters/node/sockets.ts'
import { Ticker } from '../../adapters/node/ticker.ts'
import { areas, sockets } from '../../handlers/index.ts'
import { assembleHost, startUp } from '../../runtime/assemble.ts'
import { defaultConfig } from '../../runtime/config.ts'
import { serve } from '../../runtime/http/serve.ts'
import { noVendors, withOffline } from '../../runtime/models/models.ts'
import type { RunningHost } from './suite.ts'

/** A hearthd that keeps nothing, inside a process that has another purpose. */
async function embeddedHost(stopping: AbortSignal) {
  const clock = createClock()
  const files = createMemoryFiles(clock)
  const ports = {
    clock,
    sql: createMemorySql(),
    bus: createBus(),
    files,
    embedder: createWordEmbedder(),
    reader: createReader(clock),
    models: withOffline(noVendors, { clock, timezone: 'UTC' }),
    outbound: noOutbound,
    // Real programs leave this out: passwords of people are worth the time.
    secrets: createMemorySecrets({ cheap: true }),
    metrics: createMemoryMetrics(),
    log: createMemoryLog(),
    machine: unknownMachine,
    mail: noMail,
    databases: noDatabases,
    push: noPush,
    tool_servers: noToolServers,
    packages: noPackages,
    visualization: noVisualization,
    browser: noBrowser,
    script: createScript(),
    sandbox: noSandbox(files),
    repositories: noRepositories,
    backups: noBackups,
  }
  const config = { ...defaultConfig, ui: false }
  const host = assembleHost({ ports, areas, config, stopping, wake: () => ticker.wake() })
  const ticker = new Ticker(host)
  await startUp(host, { alone: true })
  ticker.start()
  return { host, ticker }
}

/** Another program: it has pages of its own, and hearthd answers whatever it does not know. */
export async function startOtherProgram(): Promise<RunningHost> {
  const stopping = new AbortController()
  const { host, ticker } = await embeddedHost(stopping.signal)
  const hearthd = serve(areas)
  const proxies = proxyPolicy([])

  const answer = (request: Request, { req }: { req: IncomingMessage }) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/') return new Response('The front page of another program')
    if (pathname === '/shop/hours') return Response.json({ opens: '09:00', closes: '18:00' })
    return hearthd(request, host, proxies.peerOf(req))
  }
  const server = createServer(createServerAdapter<{ req: IncomingMessage }>(answer))
  const upgrades = createUpgrades(sockets, host, proxies)
  server.on('upgrade', (request, socket, head) => void upgrades.answer(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const close = async () => {
    stopping.abort(new Error('The program ends'))
    upgrades.close(1001, 'The program ends')
    await ticker.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}
