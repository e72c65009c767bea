import type { Platform, PlatformName } from '../platform.ts'

/** Each platform is loaded with the first channel that needs it. */
const loaders: Readonly<Partial<Record<PlatformName, () => Promise<Platform>>>> = {
  discord: async () => (await import('./discord.ts')).discord,
  slack: async () => (await import('./slack.ts')).slack,
  telegram: async () => (await import('./telegram.ts')).telegram,
  whatsapp: async () => (await import('./whatsapp.ts')).whatsapp,
  teams: async () => (await import('./teams.ts')).teams,
  google_chat: async () => (await import('./google-chat.ts')).googleChat,
  line: async () => (await import('./line.ts')).line,
  webhook: async () => (await import('./webhook.ts')).webhook,
}

/** Null if there is no adapter for the platform. */
export const loadPlatform = async (name: PlatformName): Promise<Platform | null> =>
  (await loaders[name]?.()) ?? null
