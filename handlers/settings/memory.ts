import { z } from 'zod'
import { readBytes } from '../../runtime/http/body.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { changeMemorySettings } from '../../runtime/memory/change-settings.ts'
import {
  decodeText,
  exportMemory,
  importLimit,
  importMemory,
} from '../../runtime/memory/maintenance/export.ts'
import { clearMemory } from '../../runtime/memory/maintenance/wipe.ts'
import { ImportResult } from '../../runtime/memory/schema.ts'
import { MemoryChange, MemorySettings, memorySettings } from '../../runtime/memory/settings.ts'
import { readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/memory',
  summary: 'Read the settings of memory',
  returns: MemorySettings,
  async run(_, context) {
    return readSection(context, memorySettings)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/memory',
  summary: 'Change any part of the settings of memory',
  body: MemoryChange,
  returns: MemorySettings,
  async run({ body }, context) {
    return changeMemorySettings(context, body)
  },
})

export const download = endpoint({
  method: 'GET',
  path: '/api/settings/memory/export',
  summary: 'Download all episodes, entities and facts as JSON',
  returns: file('application/json; charset=utf-8'),
  async run(_, context) {
    const day = new Date(context.clock.now()).toISOString().slice(0, 10)
    return new Response(exportMemory(context), {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-disposition': `attachment; filename="hearthd-memory-${day}.json"`,
        'cache-control': 'no-store',
      },
    })
  },
})

export const upload = endpoint({
  method: 'POST',
  path: '/api/settings/memory/import',
  summary: 'Take in the episodes of an export; those that are there already are left alone',
  access: 'admin',
  query: z.object({ dry_run: z.stringbool().default(false) }),
  body_kind: 'raw',
  idempotent: false,
  returns: ImportResult,
  async run({ request, query }, context) {
    const text = await decodeText(context, await readBytes(request, importLimit))
    return importMemory(context, text, query.dry_run)
  },
})

export const clear = endpoint({
  method: 'DELETE',
  path: '/api/settings/memory/data',
  summary: 'Delete all of memory for good',
  access: 'admin',
  returns: z.object({ cleared: z.number().int() }),
  async run(_, context) {
    return clearMemory(context)
  },
})
