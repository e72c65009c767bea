import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { BrowserContext, Download as Driven } from 'playwright'
import { cleanName } from '../../runtime/files/name.ts'
import type { Download } from '../../runtime/ports/browser.ts'
import type { Files } from '../../runtime/ports/files.ts'
import type { Part } from './part.ts'

const mostDownloads = 200
export const downloadsRoot = 'downloads'

/** What pages hand out as files. Each is kept below a root of its own under the name that we give it. */
export class Downloads implements Part {
  readonly #files: Files
  readonly #all = new Map<string, Download>()

  constructor(files: Files) {
    this.#files = files
  }

  attach(context: BrowserContext): void {
    context.on('download', (driven) => void this.#take(driven))
  }

  list(): Download[] {
    return [...this.#all.values()].reverse()
  }

  async #take(driven: Driven): Promise<void> {
    const id = `dl_${crypto.randomUUID().replaceAll('-', '')}`
    const name = cleanName(driven.suggestedFilename())
    const path = `${id}/${name}`
    const download: Download = {
      id,
      url: driven.url(),
      name,
      size_bytes: null,
      status: 'running',
      path: null,
    }
    this.#all.set(id, download)
    for (const old of [...this.#all.keys()].slice(0, -mostDownloads)) this.#all.delete(old)
    try {
      const from = await driven.path()
      const { size } = await stat(from)
      await this.#files.writeStream(downloadsRoot, path, createReadStream(from))
      this.#all.set(id, { ...download, size_bytes: size, status: 'done', path })
    } catch {
      this.#all.set(id, { ...download, status: 'failed' })
    } finally {
      await driven.delete().catch(() => undefined)
    }
  }
}
