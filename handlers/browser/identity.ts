import { z } from 'zod'
import { nearestNames } from '../../runtime/browser/nearest.ts'
import {
  BrowserProfileChange,
  browserProfile,
  changeEmulation,
  readSetup,
} from '../../runtime/browser/settings.ts'
import { BrowserProfile, Emulation } from '../../runtime/browser/setup-schema.ts'
import { withBrowser } from '../../runtime/browser/use.ts'
import { invalidField } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { changeSection, readSection } from '../../runtime/settings/section.ts'

export const showEmulation = endpoint({
  method: 'GET',
  path: '/api/browser/emulation',
  summary: 'The device that pages see, and the names of those that can be chosen',
  returns: z.object({ emulation: Emulation, presets: z.array(z.string()) }),
  async run(_, context) {
    const [{ emulation }, presets] = await Promise.all([readSetup(context), context.browser.presets()])
    return Response.json({ emulation, presets })
  },
})

export const emulate = endpoint({
  method: 'POST',
  path: '/api/browser/emulation',
  summary: 'Choose the device that pages see, by name or by its parts; {} is none',
  body: Emulation,
  returns: Emulation,
  async run({ body }, context) {
    const presets = body.preset === undefined ? [] : await context.browser.presets()
    if (body.preset !== undefined && !presets.includes(body.preset)) throw unknown(body.preset, presets)
    const emulation = await changeEmulation(context, body)
    if (context.browser.status().running) await withBrowser(context, async () => undefined)
    return Response.json(emulation)
  },
})

function unknown(preset: string, presets: readonly string[]) {
  const near = nearestNames(preset, presets)
  const names = near.length > 0 ? near : presets.slice(0, 5)
  return invalidField('preset', `is no known device; there are ${names.join(', ')}`)
}

export const showProfile = endpoint({
  method: 'GET',
  path: '/api/browser/profile',
  summary: 'Who pages take the visitor for',
  returns: BrowserProfile,
  async run(_, context) {
    return Response.json(await readSection(context, browserProfile))
  },
})

export const changeProfile = endpoint({
  method: 'POST',
  path: '/api/browser/profile',
  summary: 'Change any part of the user agent, locale, time zone, colours and place that pages see',
  body: BrowserProfileChange,
  returns: BrowserProfile,
  async run({ body }, context) {
    const profile = await changeSection(context, browserProfile, body)
    if (context.browser.status().running) await withBrowser(context, async () => undefined)
    return Response.json(profile)
  },
})
