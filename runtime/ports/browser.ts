import type {
  Action,
  ConsoleLine,
  Cookie,
  FailureCode,
  Mock,
  NetworkRequest,
  PersonInput,
  Snapshot,
  Tab,
} from '../browser/schema.ts'
import type { BrowserConfig, BrowserProfile, Emulation } from '../browser/setup-schema.ts'
import type { BrowserStanding } from './browser-standing.ts'

export type { ConsoleLine, PersonInput }

/** Where the Chromium comes from: the system's, Playwright's own, or the installed pack. */
export interface BrowserEngine {
  kind: 'system' | 'playwright' | 'pack'
  executable: string
  version: string | null
}

/** No Chromium was found on this machine. */
export class BrowserMissing extends Error {
  override name = 'BrowserMissing'
}

/** An act that could not be done; the page is as it was. `hint` says what would help. */
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

/** The browser ended by itself, or could not be started; the next call opens a new one. */
export class BrowserCrashed extends Error {
  override name = 'BrowserCrashed'
}

/** A script of the caller threw in the page. The message is the page's. */
export class ScriptFailed extends Error {
  override name = 'ScriptFailed'
}

/** What a person decided about the browser. */
export interface BrowserSetup {
  config: BrowserConfig
  profile: BrowserProfile
  emulation: Emulation
}

/** How an element that was acted on can be found again, the best way first. */
export interface ElementTrace {
  role: string | null
  name: string | null
  text: string | null
  label: string | null
  test_id: string | null
  css: string
  /** Path of frames, outermost first; empty in the main frame. */
  frames: string[]
  /** The words of its row, where others have the same role and name. */
  row?: string | null
  /** Its place among those. */
  nth?: number
  /** What is typed there must not be written down. */
  secret?: boolean
}

/** One act as it was done, for recordings and the log. */
export interface ActedEvent {
  tab_id: string
  action: Action
  element: ElementTrace | null
  /** Where a drag ended. */
  drop?: ElementTrace | null
  /** In the live view: such acts come piecemeal, a text letter by letter. */
  by_person?: boolean
  /** Null where it failed. */
  url: string | null
  /** Milliseconds since the epoch. */
  at: number
  duration_ms: number
  failure: FailureCode | null
}

export interface ActOptions {
  signal?: AbortSignal
  /** Whose numbers the action means: those of the last snapshot that was told to the same reader. */
  reader?: string
  /** The element is looked for by its trace, and not by what the action names. */
  element?: ElementTrace
  /** The same for the end of a drag. */
  drop?: ElementTrace
}

export interface Acted {
  url: string
  title: string
  /** In which way the traced element was found, such as `role=button[name="Save"]`. */
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
  /** Only what the viewport shows. */
  viewport?: boolean
  /** Only what is new or changed since the last snapshot of this tab that was told to the same reader. */
  diff?: boolean
  /** To whom it is told. Everybody has numbers of their own, so nobody's change their meaning under his hands. */
  reader?: string
  tab_id?: string
}

/** Cookies and local storage of a signed-in session, as plain data. Secret: seal before storing. */
/** HTTP Archive 1.2, http://www.softwareishard.com/blog/har-12-spec/ */
export interface Har {
  log: { version: '1.2'; [member: string]: unknown }
}

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

export interface Download {
  id: string
  url: string
  name: string
  /** While it runs: what has come. Where it was refused: what was found too much. */
  size_bytes: number | null
  /** Refused: it would take more than files may. */
  status: 'running' | 'done' | 'failed' | 'refused'
  /** Why it has failed or was refused. */
  error: string | null
  /** Path below the root `downloads` of the files port. */
  path: string | null
}

/**
 * One Chromium, shared by agents, scripts and persons. It is opened by the first call that needs it and closed when
 * idle. Every byte that it sends or receives passes the guard. Methods but `engine`, `status` and `close` throw
 * `BrowserMissing`, `BrowserCrashed`, or `BrowserFailure`.
 */
export interface Browser {
  engine(): Promise<BrowserEngine | null>
  status(): BrowserStanding
  /** Names of the devices that `configure` can emulate. */
  presets(): Promise<readonly string[]>
  /**
   * Takes effect at once, also on the pages that are open: another profile or emulation loads them anew. Only
   * `headless` waits for the next start. The same setup again changes nothing.
   */
  configure(setup: BrowserSetup): Promise<void>
  /** Ends it with its cookies; the next call opens a new one. */
  close(): Promise<void>

  act(action: Action, options?: ActOptions): Promise<Acted>
  snapshot(options?: SnapshotOptions): Promise<Snapshot>
  screenshot(options: Screenshot): Promise<Uint8Array>
  /** PDF of the page. */
  pdf(tab_id?: string): Promise<Uint8Array>
  /** Readable text of the page, for agents. */
  text(options?: {
    tab_id?: string
    max_chars?: number
  }): Promise<{ url: string; title: string; text: string }>
  /** Result of an expression in the page, as JSON. Throws `ScriptFailed` too. */
  evaluate(expression: string, tab_id?: string): Promise<unknown>
  upload(
    target: Pick<Action, 'selector' | 'index' | 'ref' | 'tab_id'> & Pick<ActOptions, 'reader'>,
    files: { name: string; mime_type: string; bytes: Uint8Array }[],
  ): Promise<void>

  tabs(): Promise<Tab[]>
  openTab(options: { url?: string; activate?: boolean }): Promise<Tab>
  closeTab(id: string): Promise<boolean>
  activateTab(id: string): Promise<Tab | null>

  requests(): NetworkRequest[]
  console(): ConsoleLine[]
  downloads(): Download[]
  /** Ends it where it runs. False when it is not known. What is kept of it stays. */
  forgetDownload(id: string): Promise<boolean>
  startHar(): Promise<void>
  /** A HAR 1.2 document. Null when none was started. */
  stopHar(options: { keep_credentials: boolean }): Promise<Har | null>
  mock(mock: Mock): Promise<void>
  clearMocks(): Promise<number>

  cookies(): Promise<Cookie[]>
  addCookies(cookies: readonly Cookie[]): Promise<void>
  clearCookies(): Promise<void>
  storageState(): Promise<StorageState>
  restoreState(state: StorageState): Promise<void>

  /** Told each act as it ends, whoever did it; returns how to stop listening. */
  onAct(listener: (event: ActedEvent) => void): () => void
  /** Told when the browser opens, closes or crashes. */
  onChange(listener: (change: 'opened' | 'closed' | 'crashed') => void): () => void
  /** Frames of the active tab, the first at once, until the signal aborts. */
  frames(options: { fps: number; quality: number; signal: AbortSignal }): AsyncIterable<Frame>
  input(input: PersonInput): Promise<void>
  /** Records the active tab as a video, webm unless Chromium can make what is asked for. One at a time. */
  startVideo(options: { max_seconds: number; format?: 'webm' | 'mp4' }): Promise<void>
  /** Null when none was started, or its browser has gone. */
  stopVideo(): Promise<Video | null>
}
