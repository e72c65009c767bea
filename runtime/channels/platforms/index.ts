import type { Platform, PlatformName } from '../platform.ts'

/** Loads each platform when the first channel needs it. */
const loaders: Readonly<Record<PlatformName, () => Promise<Platform>>> = {
  discord: async () => (await import('./discord.ts')).discord,
  slack: async () => (await import('./slack.ts')).slack,
  telegram: async () => (await import('./telegram.ts')).telegram,
  whatsapp: async () => (await import('./whatsapp.ts')).whatsapp,
  teams: async () => (await import('./teams.ts')).teams,
  google_chat: async () => (await import('./google-chat.ts')).googleChat,
  line: async () => (await import('./line.ts')).line,
  email: async () => (await import('./email.ts')).email,
  webhook: async () => (await import('./webhook.ts')).webhook,
}

export const loadPlatform = (name: PlatformName): Promise<Platform> => loaders[name]()
