import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { Browser, BrowserContext } from 'playwright'
import { hideInUrl } from '../../runtime/browser/credentials.ts'
import { cleanName } from '../../runtime/files/name.ts'
import { downloadsRoot } from '../../runtime/files/usage.ts'
import type { Download } from '../../runtime/ports/browser.ts'
import type { Files } from '../../runtime/ports/files.ts'
import { DownloadWatch, type Loading } from './download-watch.ts'
import type { Part } from './part.ts'
import { downloading } from './sweep.ts'

const mostDownloads = 200
/** Characters of an address; `data:` addresses can be megabytes. */
const longestUrl = 4_000

/** What one download, and all files together, may take. */
export interface DownloadLimits {
  /** Bytes. */
  most_bytes: number
  /** Bytes that the files may still take. */
  room(): Promise<number>
}

interface Running {
  download: Download
  bytes: number
  /** Why it was ended. */
  refused: string | null
  cancel(): Promise<void>
}

/** What pages hand out as files. Each is kept below a root of its own under the name that we give it. */
export class Downloads implements Part {
  readonly #files: Files
  readonly #folder: string
  readonly #limits: DownloadLimits
  readonly #all = new Map<string, Download>()
  readonly #running = new Map<string, Running>()
  readonly #watches = new WeakMap<Browser, Promise<DownloadWatch>>()
  #room = Number.POSITIVE_INFINITY

  /** @param folder of what the browser keeps on this disk */
  constructor(files: Files, folder: string, limits: DownloadLimits) {
    this.#files = files
    this.#folder = downloading(folder)
    this.#limits = limits
  }

  async attach(context: BrowserContext): Promise<void> {
    const browser = context.browser()
    if (!browser) return
    const watch = this.#watches.get(browser) ?? this.#watch(browser)
    this.#watches.set(browser, watch)
    await (await watch).follow()
  }

  #watch(browser: Browser): Promise<DownloadWatch> {
    return DownloadWatch.open(browser, this.#folder, {
      begun: (loading, cancel) => this.#begin(loading, cancel),
      grown: (guid, bytes) => this.#grow(guid, bytes),
      ended: (guid, path) => void this.#end(guid, path),
    })
  }

  list(): Download[] {
    return [...this.#all.values()].reverse()
  }

  /** Ends it where it runs. False when there is none. What is kept of it stays. */
  async forget(id: string): Promise<boolean> {
    const running = [...this.#running.values()].find(({ download }) => download.id === id)
    await running?.cancel()
    return this.#all.delete(id)
  }

  #begin({ guid, url, name }: Loading, cancel: () => Promise<void>): void {
    const download: Download = {
      id: `dl_${crypto.randomUUID().replaceAll('-', '')}`,
      url: hideInUrl(url.slice(0, longestUrl)),
      name: cleanName(name),
      size_bytes: null,
      status: 'running',
      error: null,
      path: null,
    }
    this.#all.set(download.id, download)
    this.#running.set(guid, { download, bytes: 0, refused: null, cancel })
    for (const old of [...this.#all.keys()].slice(0, -mostDownloads)) this.#all.delete(old)
    void this.#measure()
  }

  /** Others may have taken of the room meanwhile. */
  async #measure(): Promise<void> {
    this.#room = await this.#limits.room().catch(() => 0)
  }

  #grow(guid: string, bytes: number): void {
    const running = this.#running.get(guid)
    if (!running) return
    running.bytes = Math.max(running.bytes, bytes)
    this.#change({ ...running.download, size_bytes: running.bytes })
    running.refused ??= this.#refusal(running.bytes)
    if (running.refused) void running.cancel().catch(() => undefined)
  }

  #refusal(bytes: number): string | null {
    const { most_bytes } = this.#limits
    if (bytes > most_bytes)
      return `A download may take ${most_bytes} bytes, and this one is larger: raise SERVICE_UPLOAD_LIMIT_BYTES`
    const together = [...this.#running.values()].reduce((sum, running) => sum + running.bytes, 0)
    if (together <= this.#room) return null
    return 'All files together take as much as they may: delete some, or raise SERVICE_FILES_QUOTA'
  }

  async #end(guid: string, from: string | null): Promise<void> {
    const running = this.#running.get(guid)
    if (!running) return
    try {
      this.#change(from ? await this.#keep(running, from) : broken(running))
    } catch {
      this.#change(broken(running))
    } finally {
      this.#running.delete(guid)
      if (from) await rm(from, { force: true })
    }
  }

  async #keep(running: Running, from: string): Promise<Download> {
    const { download } = running
    await this.#measure()
    running.bytes = (await stat(from)).size
    running.refused ??= this.#refusal(running.bytes)
    if (running.refused || !this.#all.has(download.id)) return broken(running)
    const path = `${download.id}/${download.name}`
    await this.#files.writeStream(downloadsRoot, path, createReadStream(from))
    if (!this.#all.has(download.id)) await this.#files.remove(downloadsRoot, path)
    return { ...download, size_bytes: running.bytes, status: 'done', path }
  }

  /** One that was forgotten stays so. */
  #change(download: Download): void {
    if (this.#all.has(download.id)) this.#all.set(download.id, download)
  }
}

const broken = ({ download, refused, bytes }: Running): Download =>
  refused
    ? { ...download, size_bytes: bytes, status: 'refused', error: refused }
    : { ...download, size_bytes: null, status: 'failed', error: 'It was not loaded to its end' }
