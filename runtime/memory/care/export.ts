import type { Host } from '../../host.ts'
import { iso } from '../../time.ts'
import { type ExportList, exportLists, exportRows } from './export-store.ts'

/** The form of the file; a later one says another number. */
/** Of the file's shape. An import refuses a later one. */
export const exportVersion = 1

const perPage = 500

/**
 * All of memory as one JSON document: episodes with what is known of them, entities and facts. It is made as it is
 * read, a page at a time, so it never stands in memory as a whole; each object is a line of its own.
 */
export function exportMemory(host: Host): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const parts = pieces(host)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await parts.return(undefined)),
  })
}

async function* pieces(host: Host): AsyncGenerator<string, void, undefined> {
  const head = { format: 'hearthd-memory', version: exportVersion, exported_at: iso(host.clock.now()) }
  yield JSON.stringify(head).slice(0, -1)
  for (const list of exportLists) {
    yield `,\n"${list}":[`
    yield* rowsOf(host, list)
    yield '\n]'
  }
  yield '}\n'
}

async function* rowsOf(host: Host, list: ExportList): AsyncGenerator<string, void, undefined> {
  for (let after = 0, first = true; ; ) {
    const rows = await exportRows(host, list, { after, limit: perPage })
    const last = rows.at(-1)
    if (!last) return
    yield `${first ? '\n' : ',\n'}${rows.map(({ body }) => body).join(',\n')}`
    after = last.rowid
    first = false
    await host.clock.after(0)
  }
}
