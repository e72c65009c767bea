import { z } from 'zod'
import { exportAgent, listAgents } from '../agents/index.ts'
import type { Context } from '../context.ts'
import { listPrices, readBackup } from '../providers/index.ts'
import { type Section, showSection } from '../sections/section.ts'
import { iso } from '../time.ts'
import { toolServers } from './mcp/store.ts'
import { customSkills } from './skills/store.ts'

/**
 * The version of the file that this release writes. A file with a higher version is imported as far as
 * possible.
 */
export const fileVersion = 1

const entries = z.array(z.record(z.string(), z.unknown())).max(2_000)

/**
 * The outline of an export. Its contents are checked part by part, so that one invalid part does not affect
 * the others.
 */
export const SettingsFile = z.object({
  format: z.literal('hearthd.settings'),
  version: z.int().min(1),
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

/** All settings as a file for another hearthd, without keys, passwords and the variables of tool servers. */
export async function exportSettings(context: Context, sections: readonly Section[]): Promise<Required<SettingsFile>> {
  const [sectionValues, skills, agents, servers, prices] = await Promise.all([
    Promise.all(sections.map((section) => exportSection(context, section))),
    customSkills.list(context, 'id'),
    listAgents(context),
    toolServers.list(context, 'id'),
    listPrices(context),
  ])
  const { redaction } = context.process
  return {
    format: 'hearthd.settings',
    version: fileVersion,
    hearthd: context.config.version,
    exported_at: iso(context.clock.now()),
    sections: Object.fromEntries(sectionValues),
    skills: skills.map(({ content, enabled }) => ({ content: redaction.text(content), enabled })),
    agents: agents.map((agent) => exportAgent(context, agent).agent),
    tool_servers: redaction
      .value(servers)
      .map(({ name, transport, command, args, url, env_names, header_names, tool_allow, timeout_seconds }) => ({
        name,
        transport,
        command,
        args,
        url,
        env_names,
        header_names,
        tool_allow,
        timeout_seconds,
      })),
    provider_backup: { ...(await readBackup(context)) },
    prices: pricesByProvider(prices),
  }
}

/** Without the members that have no meaning elsewhere: ids and secrets. A pattern that matched itself would no longer be one. */
async function exportSection(context: Context, section: Section) {
  const members = Object.entries(await showSection(context, section))
  const kept = members.filter(([name]) => name in section.schema.shape)
  const { redaction } = context.process
  const safe = kept.map(([name, value]) => [name, name === 'redact_patterns' ? value : redaction.value(value)])
  return [section.name, Object.fromEntries(safe)] as const
}

function pricesByProvider(rows: Awaited<ReturnType<typeof listPrices>>): SettingsFile['prices'] {
  const byProvider: SettingsFile['prices'] = {}
  for (const [name, price] of rows) {
    const [provider = '', ...model] = name.split('/')
    byProvider[provider] = { ...byProvider[provider], [model.join('/')]: price }
  }
  return byProvider
}
