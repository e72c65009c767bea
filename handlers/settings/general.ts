import { z } from 'zod'
import { securitySettings } from '../../runtime/auth/security.ts'
import type { Context } from '../../runtime/context.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { SettingsChange } from '../../runtime/sections/history-store.ts'
import {
  describeSections,
  readSection,
  resetSection,
  shownSchema,
  showSections,
} from '../../runtime/sections/section.ts'
import { Diagnostics, diagnostics } from '../../runtime/settings/diagnostics.ts'
import { EmailTest, testEmail } from '../../runtime/settings/email.ts'
import { exportSettings, SettingsFile } from '../../runtime/settings/export.ts'
import { settingsHistory, undoChange } from '../../runtime/settings/history.ts'
import { ImportResult, importLimit, importSettings } from '../../runtime/settings/import.ts'
import { iso } from '../../runtime/time.ts'
import { servedSections } from './sections.ts'

const sections = servedSections.map(({ section }) => section)
const AllSections = z.object(Object.fromEntries(sections.map((section) => [section.name, shownSchema(section)])))

const allSections = (context: Context) => showSections(context, sections) as Promise<z.output<typeof AllSections>>

export const list = endpoint('GET /api/settings', {
  owner: 'shared',
  summary: 'Read all sections of the settings',
  returns: AllSections,
  run: (_, context) => allSections(context),
})

/** Computed on first use, from sections that never change. */
let described: ReturnType<typeof describeSections> | undefined

export const schema = endpoint('GET /api/settings/schema', {
  owner: 'shared',
  summary: 'Get the JSON Schema of each section, with titles and units for forms',
  returns: z.record(z.string(), z.record(z.string(), z.unknown())),
  run: () => (described ??= describeSections(sections)),
})

export const reset = endpoint('POST /api/settings/reset', {
  summary: 'Reset the general settings to their defaults; profile, security, email and backup are kept',
  access: 'admin',
  returns: AllSections,
  async run(_, context) {
    for (const section of sections) if (!section.kept_on_reset) await resetSection(context, section)
    return allSections(context)
  },
  recover: (_, context) => allSections(context),
})

export const resetSecurity = endpoint('POST /api/settings/security/reset', {
  summary: 'Reset the security settings to their defaults',
  access: 'admin',
  returns: securitySettings.schema,
  run: (_, context) => resetSection(context, securitySettings),
  recover: (_, context) => readSection(context, securitySettings),
})

export const testMail = endpoint('POST /api/settings/email/test', {
  summary: 'Send a test mail, by default to the sender',
  access: 'admin',
  idempotent: false,
  body: z.strictObject({ to: z.email().max(320).optional() }),
  body_optional: true,
  returns: EmailTest,
  run: ({ body }, context) => testEmail(context, body.to),
})

export const download = endpoint('GET /api/settings/export', {
  summary: 'Export all settings as a file, without keys and passwords',
  returns: SettingsFile,
  async run({ reply }, context) {
    const name = `hearthd-settings-${iso(context.clock.now()).slice(0, 10)}.json`
    const headers = { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-store' }
    return reply(await exportSettings(context, sections), { headers })
  },
})

export const upload = endpoint('POST /api/settings/import', {
  summary: 'Import a settings file; a dry run only reports what would change',
  access: 'admin',
  query: z.object({ dry_run: z.enum(['true', 'false']).default('false') }),
  body: SettingsFile,
  body_limit: importLimit,
  returns: ImportResult,
  run: ({ query, body }, context) =>
    importSettings(context, body, { sections: servedSections, dry_run: query.dry_run === 'true' }),
})

export const history = listing({
  path: '/api/settings/history',
  summary: 'List changes of the settings, newest first',
  access: 'admin',
  items: 'changes',
  item: SettingsChange,
  query: pageQuery().extend({ section: z.string().max(64).optional() }),
  rows: settingsHistory,
})

export const undo = endpoint('POST /api/settings/history/{id}/undo', {
  summary: 'Undo a change of the settings, unless a later one changed the same values',
  access: 'admin',
  returns: SettingsChange,
  run: ({ params }, context) => undoChange(context, servedSections, params.id),
})

export const bundle = endpoint('GET /api/settings/diagnostics', {
  summary: 'Download diagnostics for support: sizes, counts and errors, without secrets or personal text',
  access: 'admin',
  returns: Diagnostics,
  async run({ reply }, context) {
    const name = `hearthd-diagnostics-${iso(context.clock.now()).slice(0, 10)}.json`
    const headers = { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-store' }
    return reply(await diagnostics(context, sections), { headers })
  },
})
