import { changeProfile, emulateDevice } from '../../runtime/browser/identity.ts'
import {
  BrowserConfigChange,
  BrowserProfileChange,
  browserConfig,
  browserEmulation,
  browserProfile,
  changeConfig,
  StoredEmulation,
} from '../../runtime/browser/settings.ts'
import { BrowserConfig, BrowserProfile } from '../../runtime/browser/setup-schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/browser',
  summary: 'Read the configuration of the browser',
  returns: BrowserConfig,
  async run(_, context) {
    return readSection(context, browserConfig)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/browser',
  summary: 'Change any part of it; the lists of hosts ask for the scope admin',
  body: BrowserConfigChange,
  returns: BrowserConfig,
  async run({ body }, context) {
    return changeConfig(context, body)
  },
})

/** The same as `/api/browser/profile`. */
export const showProfile = endpoint({
  method: 'GET',
  path: '/api/settings/browser_profile',
  summary: 'Who pages of the browser take the visitor for',
  returns: BrowserProfile,
  async run(_, context) {
    return readSection(context, browserProfile)
  },
})

export const updateProfile = endpoint({
  method: 'PUT',
  path: '/api/settings/browser_profile',
  summary: 'Change any part of it',
  body: BrowserProfileChange,
  returns: BrowserProfile,
  async run({ body }, context) {
    return changeProfile(context, body)
  },
})

/** The same as `/api/browser/emulation`. */
export const showEmulation = endpoint({
  method: 'GET',
  path: '/api/settings/browser_emulation',
  summary: 'The device that pages of the browser see; null is none',
  returns: StoredEmulation,
  async run(_, context) {
    return readSection(context, browserEmulation)
  },
})

export const updateEmulation = endpoint({
  method: 'PUT',
  path: '/api/settings/browser_emulation',
  summary: 'Choose another device; null is none',
  body: StoredEmulation,
  returns: StoredEmulation,
  async run({ body }, context) {
    await emulateDevice(context, body.emulation ?? {})
    return readSection(context, browserEmulation)
  },
})
