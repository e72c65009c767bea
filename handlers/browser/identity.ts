import { z } from 'zod'
import { changeProfile as changeVisitor, emulateDevice } from '../../runtime/browser/identity.ts'
import { BrowserProfileChange, browserProfile, readSetup } from '../../runtime/browser/settings.ts'
import { BrowserProfile, Emulation } from '../../runtime/browser/setup-schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { readSection } from '../../runtime/settings/section.ts'

export const showEmulation = endpoint({
  method: 'GET',
  path: '/api/browser/emulation',
  summary: 'The device that pages see, and the names of those that can be chosen',
  returns: z.object({ emulation: Emulation, presets: z.array(z.string()) }),
  async run(_, context) {
    const [{ emulation }, presets] = await Promise.all([readSetup(context), context.browser.presets()])
    return { emulation, presets: presets.slice() }
  },
})

export const emulate = endpoint({
  method: 'POST',
  path: '/api/browser/emulation',
  summary: 'Choose the device that pages see, by name or by its parts; {} is none',
  body: Emulation,
  returns: Emulation,
  async run({ body }, context) {
    return emulateDevice(context, body)
  },
})

export const showProfile = endpoint({
  method: 'GET',
  path: '/api/browser/profile',
  summary: 'Who pages take the visitor for',
  returns: BrowserProfile,
  async run(_, context) {
    return readSection(context, browserProfile)
  },
})

export const changeProfile = endpoint({
  method: 'POST',
  path: '/api/browser/profile',
  summary: 'Change any part of the user agent, locale, time zone, colours and place that pages see',
  body: BrowserProfileChange,
  returns: BrowserProfile,
  async run({ body }, context) {
    return changeVisitor(context, body)
  },
})
