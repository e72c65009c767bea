import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright'
import { downloadsRoot } from '../../runtime/files/blobs.ts'
import { cleanName } from '../../runtime/files/name.ts'
import { sumOf } from '../../runtime/numbers.ts'
import { BrowserFailure, type Download, type TabUser } from '../../runtime/ports/browser.ts'
import type { Files } from '../../runtime/ports/files.ts'
import { hideInUrl } from '../../runtime/secrets/traffic.ts'
import type { Part } from './profiles.ts'
import { downloading } from './sweep.ts'
import { sees } from './tabs.ts'
import { pause } from './time-limit.ts'

const maxDownloads = 200
/** Milliseconds for a download to begin, and to end, for a caller that waits for it. */
const beginLimit = 15_000
const endLimit = 100_000
/** Characters of an address; `data:` addresses can be megabytes. */
const longestUrl = 4_000

/** Size limits of one download and of all files. */
export interface DownloadLimits {
  /** Bytes. */
  most_bytes: number
  /** Bytes left for all files. */
  room(): Promise<number>
}

interface Running {
  download: Download
  bytes: number
  /** Why it was cancelled. */
  refused: string | null
  cancel(): Promise<void>
}

/** The files that pages offer. Each is stored in a folder named after its id. */
export class Downloads implements Part {
  readonly #files: Files
  readonly #folder: string
  readonly #limits: DownloadLimits
  readonly #all = new Map<string, Download>()
  readonly #running = new Map<string, Running>()
  readonly #watches = new WeakMap<Browser, Promise<DownloadWatch>>()
  readonly #pages = new Map<string, Page>()
  #room = Number.POSITIVE_INFINITY

  /** @param folder the browser's folder */
  constructor(files: Files, folder: string, limits: DownloadLimits) {
    this.#files = files
    this.#folder = downloading(folder)
    this.#limits = limits
  }

  async attach(context: BrowserContext): Promise<void> {
    context.on('page', (page) => page.on('download', (download) => this.#pages.set(idOf(guidOf(download)), page)))
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

  /** Downloads from pages that this user can see. */
  list(user?: TabUser): Download[] {
    return [...this.#all.values()].filter(({ id }) => sees(user, this.#pages.get(id) ?? null)).reverse()
  }

  /** The ended download of a user that is not among those before. Throws `BrowserFailure` if there is none in time. */
  async next(
    before: readonly Download[],
    { user, signal }: { user: TabUser | undefined; signal: AbortSignal | undefined },
  ): Promise<Download> {
    const ids = new Set(before.map(({ id }) => id))
    const begun = Date.now()
    for (;;) {
      signal?.throwIfAborted()
      const download = this.list(user).find(({ id }) => !ids.has(id))
      if (download && download.status !== 'running') return download
      const waited = Date.now() - begun
      if (!download && waited > beginLimit)
        throw new BrowserFailure('timeout', 'The page has offered no file', 'Name the link or button of the file')
      if (waited > endLimit)
        throw new BrowserFailure('timeout', 'The download takes too long', 'It continues; list the downloads later')
      await pause(100)
    }
  }

  /** Cancels a running download. False if it is unknown. A stored file stays. */
  async forget(id: string): Promise<boolean> {
    const running = [...this.#running.values()].find(({ download }) => download.id === id)
    await running?.cancel()
    return this.#all.delete(id)
  }

  #begin({ guid, url, name }: Loading, cancel: () => Promise<void>): void {
    const download: Download = {
      id: idOf(guid),
      url: hideInUrl(url.slice(0, longestUrl)),
      name: cleanName(name),
      size_bytes: null,
      status: 'running',
      error: null,
      path: null,
    }
    this.#all.set(download.id, download)
    this.#running.set(guid, { download, bytes: 0, refused: null, cancel })
    for (const old of [...this.#all.keys()].slice(0, -maxDownloads)) {
      this.#all.delete(old)
      this.#pages.delete(old)
    }
    void this.#measure()
  }

  /** Other files may have used some of the space. */
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
      return `The file is larger than ${most_bytes} bytes; raise SERVICE_UPLOAD_LIMIT_BYTES to allow it`
    const together = sumOf(this.#running.values(), (running) => running.bytes)
    if (together <= this.#room) return null
    return 'The files quota is used up; delete some files, or raise SERVICE_FILES_QUOTA'
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

  /** Does nothing for a download that was removed in the meantime. */
  #change(download: Download): void {
    if (this.#all.has(download.id)) this.#all.set(download.id, download)
  }
}

/** Chromium's name of a download, a random UUID, as an id. */
const idOf = (guid: string): string => `dl_${guid.replaceAll('-', '').toLowerCase()}`

/**
 * Chromium names the frame of a download, which Playwright alone knows, and Playwright the page. Its name for the file
 * is the only link between the two that is known before the end; addresses may be the same for two users.
 */
const guidOf = (download: unknown): string =>
  basename((download as { _artifact?: Artifact })._artifact?._initializer.absolutePath ?? '')

interface Artifact {
  _initializer: { absolutePath: string }
}

const broken = ({ download, refused, bytes }: Running): Download =>
  refused
    ? { ...download, size_bytes: bytes, status: 'refused', error: refused }
    : { ...download, size_bytes: null, status: 'failed', error: 'The download was interrupted' }

/** Milliseconds between measurements, as Chromium reports progress too rarely to enforce limits. */
const measureEvery = 20

/** A download that begins. */
export interface Loading {
  guid: string
  url: string
  name: string
}

export interface DownloadListener {
  begun(loading: Loading, cancel: () => Promise<void>): void
  /** Bytes received, or announced if that is more. */
  grown(guid: string, bytes: number): void
  /** `path` is null if it is incomplete. */
  ended(guid: string, path: string | null): void
}

/** Watches the downloads of one Chromium. */
export class DownloadWatch {
  readonly #folder: string
  readonly #listener: DownloadListener
  readonly #session: CDPSession
  readonly #running = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  private constructor(session: CDPSession, folder: string, listener: DownloadListener) {
    this.#session = session
    this.#folder = folder
    this.#listener = listener
    session.on('Browser.downloadWillBegin', ({ guid, url, suggestedFilename: name, frameId }) => {
      this.#begin({ guid, url, name })
      void this.#closeEmpty(frameId).catch(() => undefined)
    })
    session.on('Browser.downloadProgress', ({ guid, state, receivedBytes, totalBytes }) => {
      if (state === 'inProgress') return this.#grow(guid, Math.max(receivedBytes, totalBytes))
      this.#end(guid, state === 'completed' ? join(this.#folder, guid) : null)
    })
  }

  static async open(browser: Browser, folder: string, listener: DownloadListener): Promise<DownloadWatch> {
    const watch = new DownloadWatch(await browser.newBrowserCDPSession(), folder, listener)
    browser.once('disconnected', () => watch.#leave())
    return watch
  }

  /** Includes the contexts opened since. Keeps the folder that Playwright has set. */
  async follow(): Promise<void> {
    const settings = { behavior: 'allowAndName', downloadPath: this.#folder, eventsEnabled: true } as const
    const follow = (browserContextId: string) =>
      // The context may have closed in the meantime.
      this.#session.send('Browser.setDownloadBehavior', { ...settings, browserContextId }).catch(() => null)
    await Promise.all((await this.#contexts()).map(follow))
  }

  async #contexts(): Promise<string[]> {
    return (await this.#session.send('Target.getBrowserContexts')).browserContextIds
  }

  #begin(loading: Loading): void {
    this.#running.add(loading.guid)
    this.#timer ??= setInterval(() => void this.#look(), measureEvery).unref()
    this.#listener.begun(loading, () => this.#cancel(loading.guid))
  }

  /** Closes a window that was opened for a download alone, which stays empty. */
  async #closeEmpty(targetId: string): Promise<void> {
    const { targetInfo } = await this.#session.send('Target.getTargetInfo', { targetId })
    if (targetInfo.url === '') await this.#session.send('Target.closeTarget', { targetId })
  }

  /** In all contexts, as the event does not name its own. */
  async #cancel(guid: string): Promise<void> {
    const cancel = (browserContextId: string) =>
      this.#session.send('Browser.cancelDownload', { guid, browserContextId }).catch(() => undefined)
    await Promise.all((await this.#contexts()).map(cancel))
  }

  async #look(): Promise<void> {
    for (const guid of this.#running) {
      const file = await stat(join(this.#folder, `${guid}.crdownload`)).catch(() => null)
      if (file) this.#grow(guid, file.size)
    }
  }

  #grow(guid: string, bytes: number): void {
    if (this.#running.has(guid)) this.#listener.grown(guid, bytes)
  }

  #end(guid: string, path: string | null): void {
    if (!this.#running.delete(guid)) return
    if (this.#running.size === 0) this.#rest()
    this.#listener.ended(guid, path)
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  #leave(): void {
    for (const guid of [...this.#running]) this.#end(guid, null)
  }
}
