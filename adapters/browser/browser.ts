import type { Page } from 'playwright'
import { nobody } from '../../runtime/auth/owner.ts'
import type { Browser, BrowserState, Har, TabUser } from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Files } from '../../runtime/ports/files.ts'
import type { Log } from '../../runtime/ports/log.ts'
import type { Packages } from '../../runtime/ports/packages.ts'
import { leaseOf, mayUse } from '../../runtime/tabs/holder.ts'
import { type ActListener, act, activateTab, closeTab, openTab, targetOf } from './acting.ts'
import { type DownloadLimits, Downloads } from './downloads.ts'
import { engineSearch, findEngine, readyEngine } from './engine.ts'
import { frames } from './frames.ts'
import { BrowserLifecycle } from './lifecycle.ts'
import { ConsoleLog, Network } from './network.ts'
import { Person } from './person.ts'
import type { Profile } from './profiles.ts'
import { addCookies, evaluate, pdf, readCookies, readText, screenshot } from './reading.ts'
import type { Session } from './session.ts'
import { type Guard, presets, Setup } from './setup.ts'
import { upload } from './upload.ts'
import { ScreenRecorder } from './video.ts'

export interface BrowserSettings {
  /** The browser's folder. */
  folder: string
  guard: Guard
  packages: Pick<Packages, 'resolve'>
  files: Files
  downloads: DownloadLimits
  clock: Clock
  log: Log
  /** Environment to find Chromium by. Default: that of this process. */
  env?: Readonly<Record<string, string | undefined>>
}

export interface NodeBrowser extends Browser {
  /** Closes it permanently. */
  end(): Promise<void>
}

/** The browser of this machine. Starts with the first call that needs it. */
export function createBrowser(settings: BrowserSettings): NodeBrowser {
  const { folder, clock, log, files, guard } = settings
  const setup = new Setup(guard)
  const network = new Network(clock, (url) => lifecycle.proxy?.refusalOf(url) ?? null)
  const consoleLog = new ConsoleLog(clock)
  const downloads = new Downloads(files, folder, settings.downloads)
  const search = engineSearch(settings)
  const engine = () => readyEngine(search)
  const lifecycle = new BrowserLifecycle({
    folder,
    clock,
    log,
    engine,
    setup,
    parts: [network, consoleLog, downloads, setup.signIn],
  })
  const recorder = new ScreenRecorder(lifecycle)
  const listeners = new Set<ActListener>()
  const people = new Map<string, Person>()
  /** The browser of one user; undefined for the browser itself, which sees all tabs and has the profile of nobody. */
  const browserOf = (user?: TabUser): NodeBrowser => {
    const traffic = network.of(user?.owner_id ?? nobody)
    /** Works on a tab. Refused while it has an open dialog. */
    const onPage = <Result>(tab_id: string | undefined, work: (page: Page, session: Session) => Promise<Result>) =>
      lifecycle.use(async (session) => {
        const page = await session.page(tab_id, user)
        session.tabs.dialogs.refuseWhileOpen(page)
        return work(page, session)
      })
    /** Works on the profile of the user's owner. */
    const inProfile = <Result>(work: (profile: Profile) => Promise<Result>) =>
      lifecycle.use(async (session) => work(await session.profile(user)))
    return {
      as: browserOf,
      release: async () => {
        if (user) await lifecycle.session?.tabs.release(leaseOf(user))
      },
      engine: () => findEngine(search),
      presets: async () => presets(),
      status: () => ({ ...statusOf(lifecycle, user), har: traffic.har, mocks: traffic.mocks.list() }),
      configure: (settings) => setup.use(settings, lifecycle),
      close: () => (user ? lifecycle.leave(user) : lifecycle.close()),
      end: () => lifecycle.end(),

      act: (action, options = {}) => lifecycle.use((session) => act(session, { action, user, ...options }, listeners)),
      target: async (action) =>
        lifecycle.session ? lifecycle.use((session) => targetOf(session, action, user)) : null,
      download: (action, options = {}) =>
        lifecycle.use(async (session) => {
          const before = downloads.list(user)
          await act(session, { action, user, ...options }, listeners)
          return downloads.next(before, { user, signal: options.signal })
        }),
      snapshot: (options) => lifecycle.use((session) => session.snapshot(options, user)),
      screenshot: (options) => onPage(options.tab_id, (page) => screenshot(page, options)),
      pdf: (tab_id) => onPage(tab_id, pdf),
      text: ({ tab_id, max_chars } = {}) =>
        onPage(tab_id, async (page, { tabs }) => {
          const { url, title } = await tabs.describe(page)
          return { url, title, text: await readText(page, max_chars) }
        }),
      evaluate: (expression, tab_id) => onPage(tab_id, (page) => evaluate(page, expression)),
      upload: (target, files) => lifecycle.use((session) => upload(session, { ...target, user }, files)),

      tabs: () => lifecycle.use(({ tabs }) => tabs.list(user)),
      openTab: (options) => lifecycle.use((session) => openTab(session, options, user)),
      closeTab: (id) => lifecycle.use((session) => closeTab(session, id, user)),
      activateTab: (id) => lifecycle.use((session) => activateTab(session, id, user)),

      requests: () => network.requests(user),
      console: () => consoleLog.lines(user),
      downloads: () => downloads.list(user),
      forgetDownload: (id) => downloads.forget(id),
      startHar: async () => traffic.startHar(user),
      stopHar: async (options) => (await traffic.stopHar(options, user)) as Har | null,
      mock: (mock) => traffic.mocks.add(mock),
      clearMocks: () => traffic.mocks.clear(),

      cookies: () => inProfile(({ context }) => readCookies(context)),
      addCookies: (cookies) => inProfile(({ context }) => addCookies(context, cookies)),
      clearCookies: () => inProfile(({ context }) => context.clearCookies()),
      storageState: () => inProfile((profile) => profile.state()),
      restoreState: (state) => inProfile((profile) => profile.restore(state)),

      onAct(listener) {
        const heard: ActListener = (event) => {
          if (user === undefined || mayUse(user, event.holder ?? null)) listener(event)
        }
        listeners.add(heard)
        return () => listeners.delete(heard)
      },
      onChange: (listener) => lifecycle.onChange(listener),
      frames: (options) => frames(lifecycle, { ...options, user }),
      input: (input) => {
        const lease = user ? leaseOf(user) : ''
        const person = people.get(lease) ?? new Person(lifecycle, listeners, user)
        people.set(lease, person)
        return person.input(input)
      },
      startVideo: (options) => recorder.start({ ...options, user }),
      stopVideo: () => recorder.stop(),
    }
  }
  return browserOf()
}

function statusOf({ session }: BrowserLifecycle, user?: TabUser): Omit<BrowserState, 'har' | 'mocks'> {
  if (!session) return { running: false, current_url: null, tabs: 0, started_at: null, dialogs: [] }
  const { tabs, started_at } = session
  const current_url = tabs.visiblePage(user)?.url() ?? null
  return { running: true, current_url, tabs: tabs.size(user), started_at, dialogs: tabs.openDialogs(user) }
}
