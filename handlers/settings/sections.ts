import type { z } from 'zod'
import { agentSettings, changeAgentSettings } from '../../runtime/agents/index.ts'
import { profile } from '../../runtime/auth/profile.ts'
import { securitySettings } from '../../runtime/auth/security.ts'
import {
  browserConfig,
  browserCredentials,
  browserEmulation,
  browserProfile,
  changeConfig,
  changeCredentials,
  changeProfile,
  emulateDevice,
} from '../../runtime/browser/index.ts'
import { changeAddress, channelNotifications, channelSettings } from '../../runtime/channels/index.ts'
import { proactiveSettings } from '../../runtime/chat/index.ts'
import type { Context } from '../../runtime/context.ts'
import { changeDispatcherSettings, dispatcherSettings } from '../../runtime/dispatcher/index.ts'
import { type Endpoint, endpoint } from '../../runtime/http/endpoint.ts'
import { changeMemorySettings, memorySettings } from '../../runtime/memory/index.ts'
import { sandboxConfig } from '../../runtime/sandbox/index.ts'
import { interfaceSettings } from '../../runtime/sections/interface.ts'
import { type Subset, subsetOf } from '../../runtime/sections/merge.ts'
import {
  changeSection,
  type Section,
  type ServedSection,
  shownSchema,
  showSection,
} from '../../runtime/sections/section.ts'
import { changeBackupSettings } from '../../runtime/settings/backup/backups.ts'
import { backupSettings } from '../../runtime/settings/backup/schema.ts'
import { changeEmail, emailSettings } from '../../runtime/settings/email.ts'
import { retentionSettings } from '../../runtime/settings/retention.ts'
import { strategySettings } from '../../runtime/settings/strategy.ts'

/** The endpoints of a section. `save` is for changes that do more than store a value. */
export function serveSection<
  Stored extends z.ZodObject,
  Sent extends z.ZodObject,
  Shown extends z.ZodObject,
  Name extends string,
>(
  section: Section<Stored, Sent, Shown, Name>,
  save: (context: Context, change: Subset<z.output<Sent>>) => Promise<unknown> = (context, change) =>
    changeSection(context, section, change as Subset<z.input<Stored>>),
) {
  const path = `/api/settings/${section.name}` as const
  const returns = shownSchema(section) as Shown
  const owner = section.per_user ? 'caller' : 'shared'
  type Path = `/api/settings/${Name}`
  type Answer = z.output<Shown>
  return {
    section,
    save,
    show: endpoint(`GET ${path}`, {
      owner,
      summary: `Read ${section.title}`,
      returns,
      run: (_, context) => showSection(context, section),
    }) as unknown as Endpoint<'GET', Path, { query: undefined; body: undefined; answer: Answer }>,
    update: endpoint(`PUT ${path}`, {
      owner,
      summary: `Change any part of ${section.title}`,
      ...(section.access && { access: section.access }),
      body: subsetOf((section.sent ?? section.schema) as Sent),
      before: (_, context) => showSection(context, section),
      returns,
      async run({ body }, context) {
        await save(context, body as Subset<z.output<Sent>>)
        return showSection(context, section)
      },
    }) as unknown as Endpoint<'PUT', Path, { query: undefined; body: Subset<z.input<Sent>>; answer: Answer }>,
  }
}

/** The only list of sections. */
export const sections = {
  profile: serveSection(profile),
  agent: serveSection(agentSettings, changeAgentSettings),
  interface: serveSection(interfaceSettings),
  security: serveSection(securitySettings),
  strategy: serveSection(strategySettings),
  proactive: serveSection(proactiveSettings),
  email: serveSection(emailSettings, changeEmail),
  memory: serveSection(memorySettings, changeMemorySettings),
  dispatcher: serveSection(dispatcherSettings, changeDispatcherSettings),
  retention: serveSection(retentionSettings),
  backup: serveSection(backupSettings, changeBackupSettings),
  sandbox: serveSection(sandboxConfig),
  channels: serveSection(channelSettings, changeAddress),
  notifications: serveSection(channelNotifications),
  browser: serveSection(browserConfig, changeConfig),
  browser_profile: serveSection(browserProfile, changeProfile),
  browser_credentials: serveSection(browserCredentials, changeCredentials),
  browser_emulation: serveSection(
    browserEmulation,
    async (context, { emulation }) => emulation !== undefined && emulateDevice(context, emulation ?? {}),
  ),
}

/** The same, for code that handles all sections alike. */
export const servedSections = Object.values(sections) as unknown as readonly ServedSection[]
