import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { exportSettings } from '../../runtime/settings/transfer/export.ts'
import { ImportResult, importLimit, SettingsFile } from '../../runtime/settings/transfer/file.ts'
import { importSettings } from '../../runtime/settings/transfer/import.ts'
import { iso } from '../../runtime/time.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/export',
  summary: 'A file with everything that people set, without keys and passwords',
  returns: SettingsFile,
  async run({ reply }, context) {
    const name = `hearthd-settings-${iso(context.clock.now()).slice(0, 10)}.json`
    const headers = { 'content-disposition': `attachment; filename="${name}"`, 'cache-control': 'no-store' }
    return reply(await exportSettings(context), { headers })
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/settings/import',
  summary: 'Take what such a file holds; a dry run only says what would happen',
  access: 'admin',
  query: z.object({ dry_run: z.enum(['true', 'false']).default('false') }),
  body: SettingsFile,
  body_limit: importLimit,
  returns: ImportResult,
  async run({ query, body }, context) {
    return importSettings(context, body, query.dry_run === 'true')
  },
})
