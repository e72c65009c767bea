import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBrowser, type NodeBrowser } from '../../adapters/browser/browser.ts'
import type { DownloadLimits } from '../../adapters/browser/downloads.ts'
import { createClock } from '../../adapters/clock/clock.ts'
import { noPackages } from '../../adapters/memory/absent.ts'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { createOutbound } from '../../adapters/outbound/outbound.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Files } from '../../runtime/ports/files.ts'
import { unpackedChromium } from './browser.ts'

export interface BrowserOptions {
  allowlist?: readonly string[]
  blocklist?: readonly string[]
  own_ports?: readonly number[]
  /** Addresses of a name. Default: 127.0.0.1 for every one. */
  resolve?(name: string): readonly string[]
  clock?: Clock
  files?: Files
  /** What downloads may take, each and together. Default: anything. */
  downloads?: DownloadLimits
}

export interface OwnBrowser {
  browser: NodeBrowser
  folder: string
  files: Files
  /** Hosts that the guard was asked for, and what it said: null where it let them through. */
  asked: Map<string, string | null>
  close(): Promise<void>
}

/** The browser as the daemon has it, with the packaged Chromium and a guard whose name server is ours. */
export async function openBrowser(options: BrowserOptions = {}): Promise<OwnBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'hearthd-test-browser-'))
  const asked = new Map<string, string | null>()
  const clock = options.clock ?? createClock()
  const files = options.files ?? createMemoryFiles(clock)
  const browser = createBrowser({
    folder,
    files,
    downloads: options.downloads ?? { most_bytes: 100_000_000, room: async () => 1_000_000_000 },
    clock,
    log: createMemoryLog(),
    packages: noPackages,
    env: { PATH: await unpackedChromium() },
    guard({ allow, block }) {
      const { locate } = createOutbound({
        allowlist: [...(options.allowlist ?? []), ...allow],
        blocklist: [...(options.blocklist ?? []), ...block],
        own_ports: () => options.own_ports ?? [],
        resolve: async (name) => options.resolve?.(name) ?? ['127.0.0.1'],
      })
      return async (url) => {
        try {
          const addresses = await locate(url)
          asked.set(url.hostname, null)
          return addresses
        } catch (thrown) {
          asked.set(url.hostname, (thrown as Error).message)
          throw thrown
        }
      }
    },
  })
  const close = async () => {
    await browser.end()
    await rm(folder, { recursive: true, force: true })
  }
  return { browser, folder, files, asked, close }
}
