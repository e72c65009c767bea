import { exportAgent } from '../../agents/agents.ts'
import { listAgents } from '../../agents/store.ts'
import type { Context } from '../../context.ts'
import { readBackup } from '../../providers/limits.ts'
import { listPrices } from '../../providers/store.ts'
import { iso } from '../../time.ts'
import { listServers } from '../mcp/store.ts'
import { sections, showSections } from '../sections.ts'
import { listSkillRecords } from '../skills/store.ts'
import { fileVersion, type SettingsFile } from './file.ts'

const everything = { limit: 2_000, offset: 0 }

/** What people set, as a file for another hearthd: no key, no password, no value of a tool server's environment. */
export async function exportSettings(context: Context): Promise<Required<SettingsFile>> {
  const [skills, agents, servers, prices] = await Promise.all([
    listSkillRecords(context, everything),
    listAgents(context),
    listServers(context, everything),
    listPrices(context),
  ])
  return {
    format: 'hearthd.settings',
    version: fileVersion,
    hearthd: context.config.version,
    exported_at: iso(context.clock.now()),
    sections: await exportSections(context),
    skills: skills.map(({ content, enabled }) => ({ content, enabled })),
    agents: agents.map((agent) => exportAgent(agent).agent),
    tool_servers: servers.map(
      ({ name, transport, command, args, url, env_names, header_names, tool_allow, timeout_seconds }) => ({
        ...{ name, transport, command, args, url, env_names, header_names },
        ...{ tool_allow, timeout_seconds },
      }),
    ),
    provider_backup: { ...(await readBackup(context)) },
    prices: pricesByProvider(prices),
  }
}

/** Without what means nothing elsewhere: ids, and the secrets that are only told of. */
async function exportSections(context: Context): Promise<SettingsFile['sections']> {
  const shown = (await showSections(context)) as SettingsFile['sections']
  const kept = sections.map(({ name, schema }) => {
    const members = Object.entries(shown[name] ?? {}).filter(([member]) => member in schema.shape)
    return [name, Object.fromEntries(members)]
  })
  return Object.fromEntries(kept)
}

function pricesByProvider(rows: Awaited<ReturnType<typeof listPrices>>): SettingsFile['prices'] {
  const byProvider: SettingsFile['prices'] = {}
  for (const [name, price] of rows) {
    const [provider = '', ...model] = name.split('/')
    byProvider[provider] = { ...byProvider[provider], [model.join('/')]: price }
  }
  return byProvider
}
