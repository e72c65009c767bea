import { browserConfig, browserProfile } from '../../runtime/browser/settings.ts'
import { defaultConfig } from '../../runtime/config.ts'
import type { BrowserSetup } from '../../runtime/ports/browser.ts'

/** The browser as nobody has changed it. */
export const defaultSetup: BrowserSetup = {
  config: browserConfig.defaults(defaultConfig),
  profile: browserProfile.defaults(defaultConfig),
  emulation: {},
  credentials: [],
}
