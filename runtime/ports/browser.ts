import type { TabUser } from '../tabs/holder.ts'
import type { BrowserProfile, Emulation } from '../tabs/profile.ts'
import type {
  Action,
  ConsoleLine,
  Cookie,
  ElementTrace,
  FailureCode,
  Mock,
  NetworkRequest,
  OpenDialog,
  PersonInput,
  Download as ShownDownload,
  Snapshot,
  Tab,
} from '../tabs/schema.ts'

export type { BrowserProfile, ConsoleLine, ElementTrace, Emulation, PersonInput, TabUser }

/** The Chromium to use: the system's, Playwright's, or the installed pack. */
export interface BrowserEngine {
  kind: 'system' | 'playwright' | 'pack'
  executable: string
  version: string | null
}

/** No Chromium was found on this machine. */
export class BrowserMissing extends Error {
  override name = 'BrowserMissing'
}

/** A failed act. `hint` says what would help. */
export class BrowserFailure extends Error {
  override name = 'BrowserFailure'
  readonly code: FailureCode
  readonly hint: string

  constructor(code: FailureCode, message: string, hint: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** The browser crashed or could not be started; the next call opens a new one. */
export class BrowserCrashed extends Error {
  override name = 'BrowserCrashed'
}

/** A script of the caller threw this in the page. */
export class ScriptFailed extends Error {
  override name = 'ScriptFailed'
}

/** The settings that the browser itself applies. The lists add hosts to the operator's. */
export interface BrowserConfig {
  headless: boolean
  ssrf_allowlist: readonly string[]
  ssrf_blocklist: readonly string[]
}

/** User name and password for a site that asks for them by HTTP (RFC 7235). */
export interface HttpCredentials {
  origin: string
  username: string
  password: string
}

export interface BrowserSetup {
  config: BrowserConfig
  profile: BrowserProfile
  emulation: Emulation
  /** For sites that ask by HTTP. */
  credentials: readonly HttpCredentials[]
}

/** One act, for recordings and the log. */
export interface ActedEvent {
  tab_id: string
  /** Who leases the tab. */
  holder?: TabUser | null
  action: Action
  element: ElementTrace | null
  /** Where a drag ended. */
  drop?: ElementTrace | null
  /** In the live view. Such acts come in small parts, a text letter by letter. */
  by_person?: boolean
  /** Null if it failed. */
  url: string | null
  /** Milliseconds since the epoch. */
  at: number
  duration_ms: number
  failure: FailureCode | null
}

export interface ActOptions {
  signal?: AbortSignal
  /** Finds the element by its trace instead of what the action names. */
  element?: ElementTrace
  /** The same for the end of a drag. */
  drop?: ElementTrace
}

export interface Acted {
  url: string
  title: string
  /** The dialog that the act has opened. */
  dialog?: Omit<OpenDialog, 'tab_id'>
  /** The locator that found the traced element, such as `role=button[name="Save"]`. */
  locator_used?: string
}

export interface Screenshot {
  format: 'jpeg' | 'png'
  /** JPEG only, 1–100. */
  quality?: number
  full_page?: boolean
  tab_id?: string
}

export interface SnapshotOptions {
  max_chars?: number
  /** Only elements in the viewport. */
  viewport?: boolean
  /** Only what is new or changed since the last snapshot of this tab for the same user. */
  diff?: boolean
  tab_id?: string
}

/** HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/ */
export interface Har {
  log: { version: '1.2'; [member: string]: unknown }
}

/** Cookies and local storage of a signed-in session, as plain data. Secret: seal before storing. */
export interface StorageState {
  cookies: unknown[]
  origins: { origin: string; localStorage: { name: string; value: string }[] }[]
}

export interface Frame {
  jpeg: Uint8Array
  width: number
  height: number
  /** Milliseconds since the epoch. */
  at: number
}

export interface Video {
  bytes: Uint8Array
  format: 'webm' | 'mp4'
  duration_seconds: number
}

export interface Download extends Omit<ShownDownload, 'url' | 'content_url'> {
  url: string
  /** Path below the root `downloads` of the files port. */
  path: string | null
}

/**
 * One Chromium with a profile for each owner: their cookies, storage, caches, mocks and HAR are shared by the owner's
 * agents, clients and sessions, and by nobody else. The browser identity and the host lists are the same for all. The
 * first call that needs it opens it, and it closes when idle. All its traffic passes the guard. Methods except `engine`,
 * `status` and `close` throw `BrowserMissing`, `BrowserCrashed` or `BrowserFailure`.
 */
export interface Browser {
  /**
   * The browser of one user: it has the profile of their owner and a tab of its own, sees the pages of the tabs that it
   * may use and no others, and is valid for the numbers of its own snapshots only.
   */
  as(user: TabUser): Browser
  /** Closes the tabs that this user leases. */
  release(): Promise<void>
  engine(): Promise<BrowserEngine | null>
  status(): BrowserState
  /** Names of the devices that can be emulated. */
  presets(): Promise<readonly string[]>
  /**
   * Takes effect at once; another profile or emulation reloads the open pages. Only `headless` waits for the
   * next start. An unchanged setup changes nothing.
   */
  configure(setup: BrowserSetup): Promise<void>
  /**
   * Closes it and forgets all cookies; the next call opens a new one. For a user: closes the tabs that they may use,
   * forgets the cookies of their owner unless another client or agent of theirs has tabs, and closes the browser unless
   * others have tabs. Returns whether the browser was closed.
   */
  close(): Promise<boolean>

  act(action: Action, options?: ActOptions): Promise<Acted>
  /** What an act would apply to: the line of its element, and the page. Null if there is no page. Opens nothing. */
  target(action: Action): Promise<{ element: string | null; url: string } | null>
  /** Performs an act, and waits until the file that the page then offers has been downloaded. */
  download(action: Action, options?: ActOptions): Promise<Download>
  snapshot(options?: SnapshotOptions): Promise<Snapshot>
  screenshot(options: Screenshot): Promise<Uint8Array>
  /** PDF of the page. */
  pdf(tab_id?: string): Promise<Uint8Array>
  /** The readable text of the page. */
  text(options?: { tab_id?: string; max_chars?: number }): Promise<{ url: string; title: string; text: string }>
  /** Result of an expression in the page, as JSON. Throws `ScriptFailed` too. */
  evaluate(expression: string, tab_id?: string): Promise<unknown>
  upload(
    target: Pick<Action, 'selector' | 'index' | 'ref' | 'tab_id'>,
    files: { name: string; mime_type: string; bytes: Uint8Array }[],
  ): Promise<void>

  tabs(): Promise<Tab[]>
  openTab(options: { url?: string; activate?: boolean }): Promise<Tab>
  closeTab(id: string): Promise<boolean>
  activateTab(id: string): Promise<Tab | null>

  requests(): NetworkRequest[]
  console(): ConsoleLine[]
  downloads(): Download[]
  /** Cancels a running download. False if it is unknown. A stored file stays. */
  forgetDownload(id: string): Promise<boolean>
  startHar(): Promise<void>
  /** A HAR 1.2 document. Null if none was started. */
  stopHar(options: { keep_credentials: boolean }): Promise<Har | null>
  mock(mock: Mock): Promise<void>
  clearMocks(): Promise<number>

  cookies(): Promise<Cookie[]>
  addCookies(cookies: readonly Cookie[]): Promise<void>
  clearCookies(): Promise<void>
  storageState(): Promise<StorageState>
  restoreState(state: StorageState): Promise<void>

  /** Called after each act, regardless of who performed it. Returns a function that stops listening. */
  onAct(listener: (event: ActedEvent) => void): () => void
  /** Called when the browser opens, closes or crashes. */
  onChange(listener: (change: 'opened' | 'closed' | 'crashed') => void): () => void
  /** Frames of the active tab, the first at once, until the signal is aborted. */
  frames(options: { fps: number; quality: number; signal: AbortSignal }): AsyncIterable<Frame>
  input(input: PersonInput): Promise<void>
  /** Records the active tab, as webm if Chromium cannot write the requested format. One at a time. */
  startVideo(options: { max_seconds: number; format?: 'webm' | 'mp4' }): Promise<void>
  /** Null if none was started, or the browser has exited. */
  stopVideo(): Promise<Video | null>
}

export type { OpenDialog }

/** The state of the browser. Reading it does not open the browser. */
export interface BrowserState {
  running: boolean
  current_url: string | null
  /** Number of tabs. */
  tabs: number
  /** Milliseconds since the epoch. */
  started_at: number | null
  /** The HAR being recorded for the owner, also while the browser is closed. */
  har: { started_at: number; entries: number } | null
  /** Of the owner, the newest first. */
  mocks: readonly Mock[]
  /** The open dialogs; each blocks its page. */
  dialogs: readonly OpenDialog[]
}
