import { z } from 'zod'
import {
  BrowserConfig,
  BrowserConfigChange,
  BrowserProfile,
  BrowserProfileChange,
  browserConfig,
  browserProfile,
  changeConfig,
  Emulation,
  readSetup,
} from '../../runtime/browser/settings.ts'
import { changeProfile as changeVisitor, emulateDevice } from '../../runtime/browser/use.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/sections/section.ts'

export const showConfig = endpoint({
  method: 'GET',
  path: '/api/browser/config',
  owner: 'house',
  summary: 'Get the browser settings',
  returns: BrowserConfig,
  async run(_, context) {
    return readSection(context, browserConfig)
  },
})

export const updateConfig = endpoint({
  method: 'PUT',
  path: '/api/browser/config',
  owner: 'house',
  summary: 'Change browser settings; the host lists require the scope admin',
  body: BrowserConfigChange,
  returns: BrowserConfig,
  async run({ body }, context) {
    return changeConfig(context, body)
  },
})

export const showEmulation = endpoint({
  method: 'GET',
  path: '/api/browser/emulation',
  owner: 'none',
  summary: 'Get the emulated device and the available presets',
  returns: z.object({ emulation: Emulation, presets: z.array(z.string()) }),
  async run(_, context) {
    const [{ emulation }, presets] = await Promise.all([readSetup(context), context.browser.presets()])
    return { emulation, presets: presets.slice() }
  },
})

export const emulate = endpoint({
  method: 'POST',
  path: '/api/browser/emulation',
  owner: 'house',
  summary: 'Emulate a device, by preset or properties; {} for none',
  body: Emulation,
  returns: Emulation,
  async run({ body }, context) {
    return emulateDevice(context, body)
  },
  recover: async (_, context) => (await readSetup(context)).emulation,
})

export const showProfile = endpoint({
  method: 'GET',
  path: '/api/browser/profile',
  owner: 'none',
  summary: 'Get the browser identity',
  returns: BrowserProfile,
  async run(_, context) {
    return readSection(context, browserProfile)
  },
})

export const changeProfile = endpoint({
  method: 'POST',
  path: '/api/browser/profile',
  owner: 'house',
  summary: 'Change user agent, locale, time zone, color scheme or location',
  body: BrowserProfileChange,
  returns: BrowserProfile,
  async run({ body }, context) {
    return changeVisitor(context, body)
  },
  recover: (_, context) => readSection(context, browserProfile),
})
