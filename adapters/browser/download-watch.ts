import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, CDPSession } from 'playwright'

/** Milliseconds between two looks at how much has come: the browser's own word comes too seldom. */
const lookEvery = 20

/** What Chromium begins to load as a file. */
export interface Loading {
  guid: string
  url: string
  name: string
}

export interface DownloadEars {
  begun(loading: Loading, cancel: () => Promise<void>): void
  /** Bytes that lie there, or that are said to come where that is more. */
  grown(guid: string, bytes: number): void
  /** `path` is null where it was not loaded to its end. */
  ended(guid: string, path: string | null): void
}

/** Follows what one Chromium loads into a folder. */
export class DownloadWatch {
  readonly #folder: string
  readonly #ears: DownloadEars
  readonly #session: CDPSession
  readonly #running = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  private constructor(session: CDPSession, folder: string, ears: DownloadEars) {
    this.#session = session
    this.#folder = folder
    this.#ears = ears
    session.on('Browser.downloadWillBegin', ({ guid, url, suggestedFilename: name, frameId }) => {
      this.#begin({ guid, url, name })
      void this.#closeEmpty(frameId).catch(() => undefined)
    })
    session.on('Browser.downloadProgress', ({ guid, state, receivedBytes, totalBytes }) => {
      if (state === 'inProgress') return this.#grow(guid, Math.max(receivedBytes, totalBytes))
      this.#end(guid, state === 'completed' ? join(this.#folder, guid) : null)
    })
  }

  static async open(browser: Browser, folder: string, ears: DownloadEars): Promise<DownloadWatch> {
    const watch = new DownloadWatch(await browser.newBrowserCDPSession(), folder, ears)
    browser.once('disconnected', () => watch.#leave())
    return watch
  }

  /** Hears of the contexts too that were opened since; where files go stays as the driver has said. */
  async follow(): Promise<void> {
    const settings = { behavior: 'allowAndName', downloadPath: this.#folder, eventsEnabled: true } as const
    const follow = (browserContextId: string) =>
      // One that has closed meanwhile loads nothing any more.
      this.#session.send('Browser.setDownloadBehavior', { ...settings, browserContextId }).catch(() => null)
    await Promise.all((await this.#contexts()).map(follow))
  }

  async #contexts(): Promise<string[]> {
    return (await this.#session.send('Target.getBrowserContexts')).browserContextIds
  }

  #begin(loading: Loading): void {
    this.#running.add(loading.guid)
    this.#timer ??= setInterval(() => void this.#look(), lookEvery).unref()
    this.#ears.begun(loading, () => this.#cancel(loading.guid))
  }

  /** A window that was opened for a file alone never shows anything. */
  async #closeEmpty(targetId: string): Promise<void> {
    const { targetInfo } = await this.#session.send('Target.getTargetInfo', { targetId })
    if (targetInfo.url === '') await this.#session.send('Target.closeTarget', { targetId })
  }

  /** Of which context it is was not told. */
  async #cancel(guid: string): Promise<void> {
    const cancel = (browserContextId: string) =>
      this.#session.send('Browser.cancelDownload', { guid, browserContextId }).catch(() => undefined)
    await Promise.all((await this.#contexts()).map(cancel))
  }

  async #look(): Promise<void> {
    for (const guid of this.#running) {
      const found = await stat(join(this.#folder, `${guid}.crdownload`)).catch(() => null)
      if (found) this.#grow(guid, found.size)
    }
  }

  #grow(guid: string, bytes: number): void {
    if (this.#running.has(guid)) this.#ears.grown(guid, bytes)
  }

  #end(guid: string, path: string | null): void {
    if (!this.#running.delete(guid)) return
    if (this.#running.size === 0) this.#rest()
    this.#ears.ended(guid, path)
  }

  #rest(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  #leave(): void {
    for (const guid of [...this.#running]) this.#end(guid, null)
  }
}
