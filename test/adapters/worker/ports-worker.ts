import { createClock } from '../../../adapters/clock/clock.ts'
import { createObjectFiles } from '../../../adapters/worker/files.ts'
import type { ObjectNamespace, ObjectState } from '../../../adapters/worker/platform.ts'
import { createObjectSql } from '../../../adapters/worker/sql.ts'
import { decode, encode } from './wire.ts'

type Port = Record<string, (...args: unknown[]) => Promise<unknown>>

/** Lends the ports of one object to the test outside: a call is `[port, method, args]`. */
export class Ports {
  readonly #ports: Record<string, Port>

  constructor({ storage }: ObjectState) {
    const sql = createObjectSql(storage) as unknown as Port
    this.#ports = { sql, files: createObjectFiles(storage, createClock()) as unknown as Port }
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

export default {
  fetch(request: Request, { PORTS }: { PORTS: ObjectNamespace }): Promise<Response> {
    return PORTS.get(PORTS.idFromName(new URL(request.url).pathname)).fetch(request)
  },
}
