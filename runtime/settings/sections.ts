import { z } from 'zod'
import { browserConfig, browserEmulation, browserProfile } from '../browser/settings.ts'
import type { Host } from '../host.ts'
import { memorySettings } from '../memory/settings.ts'
import { agentSettings } from './agent.ts'
import { emailSettings } from './email.ts'
import { interfaceSettings } from './interface.ts'
import { proactiveSettings } from './proactive.ts'
import { profile } from './profile.ts'
import { type Section, showSection } from './section.ts'
import { securitySettings } from './security.ts'
import { strategySettings } from './strategy.ts'

/** The only list of sections. */
export const sections: readonly Section[] = [
  profile,
  agentSettings,
  interfaceSettings,
  securitySettings,
  strategySettings,
  proactiveSettings,
  emailSettings,
  memorySettings,
  browserConfig,
  browserProfile,
  browserEmulation,
]

/** Every section under its name, as the interface shows it. */
export const AllSections = z.object(
  Object.fromEntries(sections.map(({ name, schema, shown }) => [name, shown?.schema ?? schema])),
)

export async function showSections(host: Host): Promise<Record<string, unknown>> {
  const values = sections.map(async (section) => [section.name, await showSection(host, section)])
  return Object.fromEntries(await Promise.all(values))
}

/** The JSON Schema of every section, from which forms are made. */
export function describeSections(): Record<string, Record<string, unknown>> {
  const described = sections.map(({ name, schema, shown }) => {
    const { $schema: _, ...rest } = z.toJSONSchema(shown?.schema ?? schema)
    return [name, rest]
  })
  return Object.fromEntries(described)
}
