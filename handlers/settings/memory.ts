import { z } from 'zod'
import { readBytes } from '../../runtime/http/body.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import {
  clearMemory,
  decodeText,
  exportMemory,
  ImportResult,
  importLimit,
  importMemory,
} from '../../runtime/memory/index.ts'

export const download = endpoint('GET /api/settings/memory/export', {
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

export const upload = endpoint('POST /api/settings/memory/import', {
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

export const clear = endpoint('DELETE /api/settings/memory/data', {
  owner: 'caller',
  summary: 'Delete all memory irrevocably',
  access: 'admin',
  returns: z.object({ cleared: z.int() }),
  run: (_, context) => clearMemory(context),
})
