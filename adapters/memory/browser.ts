import { unsupported } from '../../runtime/fault.ts'
import type { Browser, BrowserState } from '../../runtime/ports/browser.ts'

const refuse = async (): Promise<never> => {
  throw unsupported('This host has no browser; the Node host does')
}

/** The state of a browser that was never opened. */
export const closedBrowser: BrowserState = {
  running: false,
  current_url: null,
  tabs: 0,
  started_at: null,
  har: null,
  mocks: [],
  dialogs: [],
}

/** A host without a browser. */
export const noBrowser: Browser = {
  as() {
    return this
  },
  release: async () => undefined,
  engine: async () => null,
  presets: async () => [],
  status: () => closedBrowser,
  configure: async () => undefined,
  close: async () => false,
  act: refuse,
  target: async () => null,
  download: refuse,
  snapshot: refuse,
  screenshot: refuse,
  pdf: refuse,
  text: refuse,
  evaluate: refuse,
  upload: refuse,
  tabs: refuse,
  openTab: refuse,
  closeTab: refuse,
  activateTab: refuse,
  requests: () => [],
  console: () => [],
  downloads: () => [],
  forgetDownload: async () => false,
  startHar: refuse,
  stopHar: refuse,
  mock: refuse,
  clearMocks: refuse,
  cookies: refuse,
  addCookies: refuse,
  clearCookies: refuse,
  storageState: refuse,
  restoreState: refuse,
  onAct: () => () => undefined,
  onChange: () => () => undefined,
  async *frames() {
    yield await refuse()
  },
  input: refuse,
  startVideo: refuse,
  stopVideo: refuse,
}
