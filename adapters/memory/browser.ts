import { unsupported } from '../../runtime/fault.ts'
import type { Browser, BrowserState } from '../../runtime/ports/browser.ts'
import { absent } from './absent.ts'

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

const noBrowserHere = 'This host has no browser; the Node host does'

/** A host without a browser. */
export const noBrowser: Browser = absent<Browser>(noBrowserHere, {
  as(this: Browser) {
    return this
  },
  release: async () => undefined,
  engine: async () => null,
  presets: async () => [],
  status: () => closedBrowser,
  configure: async () => undefined,
  close: async () => false,
  target: async () => null,
  requests: () => [],
  console: () => [],
  downloads: () => [],
  forgetDownload: async () => false,
  onAct: () => () => undefined,
  onChange: () => () => undefined,
  // biome-ignore lint/correctness/useYield: it refuses before there is anything
  async *frames() {
    throw unsupported(noBrowserHere)
  },
})
