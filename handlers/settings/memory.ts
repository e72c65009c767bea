import { z } from 'zod'
import { readBytes } from '../../runtime/http/body.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import {
  decodeText,
  exportMemory,
  importLimit,
  importMemory,
} from '../../runtime/memory/maintenance/export.ts'
import { clearMemory } from '../../runtime/memory/maintenance/wipe.ts'
import { ImportResult } from '../../runtime/memory/schema.ts'

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
  owner: 'caller',
  summary: 'Import the episodes of an export; existing ones are skipped',
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
  owner: 'caller',
  summary: 'Delete all memory irrevocably',
  access: 'admin',
  returns: z.object({ cleared: z.number().int() }),
  async run(_, context) {
    return clearMemory(context)
  },
})
