import { z } from 'zod'
import {
  BrowserConfig,
  BrowserConfigChange,
  BrowserProfileChange,
  browserConfig,
  browserProfile,
  changeConfig,
  readSetup,
} from '../../runtime/browser/settings.ts'
import { changeProfile as changeVisitor, emulateDevice } from '../../runtime/browser/use.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/sections/section.ts'
import { BrowserProfile, Emulation } from '../../runtime/tabs/profile.ts'

export const showConfig = endpoint('GET /api/browser/config', {
  owner: 'shared',
  summary: 'Get the browser settings',
  returns: BrowserConfig,
  run: (_, context) => readSection(context, browserConfig),
})

export const updateConfig = endpoint('PUT /api/browser/config', {
  owner: 'shared',
  summary: 'Change browser settings; the host lists require the scope admin',
  body: BrowserConfigChange,
  returns: BrowserConfig,
  run: ({ body }, context) => changeConfig(context, body),
})

export const showEmulation = endpoint('GET /api/browser/emulation', {
  owner: 'none',
  summary: 'Get the emulated device and the available presets',
  returns: z.object({ emulation: Emulation, presets: z.array(z.string()) }),
  async run(_, context) {
    const [{ emulation }, presets] = await Promise.all([readSetup(context), context.browser.presets()])
    return { emulation, presets: presets.slice() }
  },
})

export const emulate = endpoint('POST /api/browser/emulation', {
  owner: 'shared',
  summary: 'Emulate a device by preset or properties; {} ends the emulation',
  body: Emulation,
  returns: Emulation,
  run: ({ body }, context) => emulateDevice(context, body),
  recover: async (_, context) => (await readSetup(context)).emulation,
})

export const showProfile = endpoint('GET /api/browser/profile', {
  owner: 'none',
  summary: 'Get the browser identity',
  returns: BrowserProfile,
  run: (_, context) => readSection(context, browserProfile),
})

export const changeProfile = endpoint('POST /api/browser/profile', {
  owner: 'shared',
  summary: 'Change user agent, locale, time zone, color scheme or location',
  body: BrowserProfileChange,
  returns: BrowserProfile,
  run: ({ body }, context) => changeVisitor(context, body),
  recover: (_, context) => readSection(context, browserProfile),
})
