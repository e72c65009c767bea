import { z } from 'zod'

/** The form of the file that this release writes. A higher one is read as far as it is understood. */
export const fileVersion = 1

/** Bytes of an import. */
export const importLimit = 5 * 1024 * 1024

const entries = z.array(z.record(z.string(), z.unknown())).max(2_000)

/** What an import must be; what is in it is checked part by part, so that one bad part spoils no other. */
export const SettingsFile = z.object({
  format: z.literal('hearthd.settings'),
  version: z.number().int().min(1),
  hearthd: z.string().max(64).optional(),
  exported_at: z.string().max(64).optional(),
  sections: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  skills: entries.default([]),
  agents: entries.default([]),
  tool_servers: entries.default([]),
  provider_backup: z.record(z.string(), z.unknown()).nullable().default(null),
  prices: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
})
export type SettingsFile = z.output<typeof SettingsFile>

export const ImportResult = z.object({
  dry_run: z.boolean(),
  /** What was set, or would be, as `sections.interface.density` or `agents.Gardener`. */
  applied: z.array(z.string()),
  skipped: z.array(z.object({ key: z.string(), reason: z.string() })),
  warnings: z.array(z.string()),
})
export type ImportResult = z.output<typeof ImportResult>

/** One thing that an import does. */
export interface Step {
  keys: string[]
  apply(): Promise<unknown>
}

/** What an import would do, before it does it. */
export interface Plan {
  steps: Step[]
  skipped: ImportResult['skipped']
  warnings: string[]
}
