import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createBrowser, type NodeBrowser } from '../../adapters/browser/browser.ts'
import { createClock } from '../../adapters/clock/clock.ts'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'
import { unpackedChromium } from './browser.ts'

/** Hosts that a test's pages may be reached under; everything else is refused as a private address would be. */
export interface OpenBrowser {
  hosts?: readonly string[]
}

/** The real browser, without the machine's own Chromium, until the test has ended. */
export async function openBrowser({ hosts = ['localhost', 'other.test'] }: OpenBrowser = {}): Promise<NodeBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'hearthd-browser-'))
  const browser = createBrowser({
    folder,
    guard: () => async (url) => {
      if (hosts.includes(url.hostname)) return ['127.0.0.1']
      throw new OutboundBlocked(`${url.hostname} is not allowed`)
    },
    packages: { resolve: async () => null },
    files: createMemoryFiles(),
    downloads: { most_bytes: 100_000_000, room: async () => 1_000_000_000 },
    clock: createClock(),
    log: createMemoryLog(),
    env: { PATH: await unpackedChromium() },
  })
  onTestFinished(async () => {
    await browser.end()
    await rm(folder, { recursive: true, force: true })
  })
  return browser
}

/** Serves pages under `http://localhost:<port>` until the test has ended. */
export async function servePages(
  answer: Record<string, string> | ((request: IncomingMessage, response: ServerResponse) => void),
): Promise<string> {
  const pages = (request: IncomingMessage, response: ServerResponse) => {
    if (typeof answer === 'function') return answer(request, response)
    const page = answer[request.url ?? '/']
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page ?? 'no such page')
  }
  const server = createServer(pages)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
