import type { Page } from 'playwright'
import type { ActedEvent, Browser, Har } from '../../runtime/ports/browser.ts'
import type { BrowserStanding } from '../../runtime/ports/browser-standing.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Files } from '../../runtime/ports/files.ts'
import type { Log } from '../../runtime/ports/log.ts'
import type { Packages } from '../../runtime/ports/packages.ts'
import { act, activateTab, closeTab, openTab } from './acting.ts'
import { Console } from './console.ts'
import { addCookies, readCookies } from './cookies.ts'
import { type DownloadLimits, Downloads } from './downloads.ts'
import { engineSearch, findEngine, readyEngine } from './engine.ts'
import { frames } from './frames.ts'
import { presets } from './identity.ts'
import { Person } from './input.ts'
import { Life } from './life.ts'
import { Network } from './network.ts'
import { evaluate, pdf, readText, screenshot } from './reading.ts'
import type { Session } from './session.ts'
import { type Guard, Setup } from './setup.ts'
import { upload } from './upload.ts'
import { Video } from './video.ts'

export interface BrowserSettings {
  /** Folder of what the browser keeps on this disk. */
  folder: string
  guard: Guard
  packages: Pick<Packages, 'resolve'>
  files: Files
  downloads: DownloadLimits
  clock: Clock
  log: Log
  /** Where a Chromium is looked for. Default: the environment of this process. */
  env?: Readonly<Record<string, string | undefined>>
}

export interface NodeBrowser extends Browser {
  /** Closes for good. */
  end(): Promise<void>
}

/** The browser of this machine. Nothing runs until the first call that needs it. */
export function createBrowser(settings: BrowserSettings): NodeBrowser {
  const { folder, clock, log, files, guard } = settings
  const setup = new Setup(guard)
  const network = new Network(clock, (url) => life.proxy?.refusalOf(url) ?? null)
  const console_ = new Console(clock)
  const downloads = new Downloads(files, folder, settings.downloads)
  const search = engineSearch(settings)
  const engine = () => readyEngine(search)
  const life = new Life({ folder, clock, log, engine, setup, parts: [network, console_, downloads] })
  const video = new Video(life)
  const listeners = new Set<(event: ActedEvent) => void>()
  const person = new Person(life, listeners)
  /** With the page of that name, unless a dialog makes it stand still. */
  const onPage = <Result>(
    tab_id: string | undefined,
    work: (page: Page, session: Session) => Promise<Result>,
  ) =>
    life.use(async (session) => {
      const page = await session.page(tab_id)
      session.tabs.dialogs.refuseWhileOpen(page)
      return work(page, session)
    })
  return {
    engine: () => findEngine(search),
    presets: async () => presets(),
    status: () => ({ ...statusOf(life), har: network.har, mocks: network.mocks() }),
    configure: (wanted) => setup.use(wanted, life),
    close: () => life.close(),
    end: () => life.end(),

    act: (action, options = {}) => life.use((session) => act(session, { action, ...options }, listeners)),
    snapshot: (options) => life.use((session) => session.snapshot(options)),
    screenshot: (options) => onPage(options.tab_id, (page) => screenshot(page, options)),
    pdf: (tab_id) => onPage(tab_id, pdf),
    text: ({ tab_id, max_chars } = {}) =>
      onPage(tab_id, async (page, { tabs }) => {
        const { url, title } = await tabs.describe(page)
        return { url, title, text: await readText(page, max_chars) }
      }),
    evaluate: (expression, tab_id) => onPage(tab_id, (page) => evaluate(page, expression)),
    upload: (target, given) => life.use((session) => upload(session, target, given)),

    tabs: () => life.use(({ tabs }) => tabs.list()),
    openTab: (options) => life.use((session) => openTab(session, options)),
    closeTab: (id) => life.use((session) => closeTab(session, id)),
    activateTab: (id) => life.use((session) => activateTab(session, id)),

    requests: () => network.requests(),
    console: () => console_.lines(),
    downloads: () => downloads.list(),
    forgetDownload: (id) => downloads.forget(id),
    startHar: async () => network.startHar(),
    stopHar: async (options) => (await network.stopHar(options)) as Har | null,
    mock: (mock) => network.mock(mock),
    clearMocks: () => network.clearMocks(),

    cookies: () => life.use(({ context }) => readCookies(context)),
    addCookies: (cookies) => life.use(({ context }) => addCookies(context, cookies)),
    clearCookies: () => life.use(({ context }) => context.clearCookies()),
    storageState: () => life.use((session) => session.state()),
    restoreState: (state) => life.use((session) => session.renew(undefined, state)),

    onAct(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onChange: (listener) => life.onChange(listener),
    frames: (options) => frames(life, options),
    input: (given) => person.input(given),
    startVideo: (options) => video.start(options),
    stopVideo: () => video.stop(),
  }
}

function statusOf({ session }: Life): Omit<BrowserStanding, 'har' | 'mocks'> {
  if (!session) return { running: false, current_url: null, tabs: 0, started_at: null, dialogs: [] }
  const { tabs, started_at } = session
  const current_url = tabs.active?.url() ?? null
  return { running: true, current_url, tabs: tabs.size, started_at, dialogs: tabs.openDialogs() }
}
