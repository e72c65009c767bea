import { createClock } from '../../../adapters/clock/clock.ts'
import { createObjectFiles } from '../../../adapters/worker/files.ts'
import type { ObjectNamespace, ObjectState } from '../../../adapters/worker/platform.ts'
import { createObjectSql } from '../../../adapters/worker/sql.ts'
import type { Files, LockedFile } from '../../../runtime/ports/files.ts'
import { decode, encode } from './wire.ts'

type Port = Record<string, (...args: unknown[]) => Promise<unknown>>

/** Lends the ports of one object to the test outside: a call is `[port, method, args]`. */
export class Ports {
  readonly #ports: Record<string, Port>

  constructor({ storage }: ObjectState) {
    const sql = createObjectSql(storage) as unknown as Port
    const files = createObjectFiles(storage, createClock())
    this.#ports = { sql, files: files as unknown as Port, changes: changesOf(files) }
  }

  async fetch(request: Request): Promise<Response> {
    const [port, method, args] = decode(await request.text()) as [string, string, unknown[]]
    try {
      return new Response(await encode({ result: await this.#ports[port]?.[method]?.(...args) }))
    } catch (thrown) {
      const { name, message } = thrown as Error
      return new Response(await encode({ thrown: { name, message } }))
    }
  }
}

/** A change of a file whose steps are calls of their own: `begin` waits for its turn, `end` gives it up. */
function changesOf(files: Files): Port {
  const open = new Map<unknown, { file: LockedFile; end: () => void }>()
  return {
    begin: (id, root, path) =>
      new Promise((resolve, reject) => {
        const locked = (file: LockedFile) =>
          new Promise<void>((end) => {
            open.set(id, { file, end })
            resolve(null)
          })
        files.change(String(root), String(path), locked).catch(reject)
      }),
    write: async (id, bytes) => open.get(id)?.file.write(bytes as Uint8Array),
    writeStream: async (id, pieces) => open.get(id)?.file.writeStream(pieces as AsyncIterable<Uint8Array>),
    end: async (id) => open.get(id)?.end(),
  }
}

export default {
  fetch(request: Request, { PORTS }: { PORTS: ObjectNamespace }): Promise<Response> {
    return PORTS.get(PORTS.idFromName(new URL(request.url).pathname)).fetch(request)
  },
}
