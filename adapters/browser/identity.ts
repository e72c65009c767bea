import { type BrowserContextOptions, devices } from 'playwright'
import type { BrowserProfile, Emulation } from '../../runtime/browser/setup-schema.ts'

const usualViewport = { width: 1280, height: 720 }

/** The names of the devices that can be emulated. */
export const presets = (): string[] => Object.keys(devices)

/** What a page sees of whoever visits it. Parts that are given win over those of the preset. */
export function identityOf(profile: BrowserProfile, emulation: Emulation): BrowserContextOptions {
  const { preset, viewport, device_scale_factor, is_mobile } = emulation
  const device = preset ? devices[preset] : undefined
  const userAgent = profile.user_agent ?? emulation.user_agent ?? device?.userAgent
  return given({
    viewport: viewport ?? device?.viewport ?? usualViewport,
    deviceScaleFactor: device_scale_factor ?? device?.deviceScaleFactor,
    isMobile: is_mobile ?? device?.isMobile,
    hasTouch: device?.hasTouch ?? is_mobile,
    userAgent,
    locale: profile.locale,
    timezoneId: profile.timezone,
    colorScheme: profile.color_scheme,
    geolocation: profile.geolocation,
    permissions: profile.geolocation ? ['geolocation'] : undefined,
  })
}

const given = (options: Record<string, unknown>): BrowserContextOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== null))
