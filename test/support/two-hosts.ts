import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySecrets } from '../../adapters/memory/secrets.ts'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { areas } from '../../handlers/index.ts'
import { type Sql, StoreUnreachable } from '../../runtime/ports/sql.ts'
import { emptyImage } from './host.ts'
import { scriptedModels } from './models.ts'

/**
 * Two daemons on one database, and a switch that cuts the first one off from it. `tries` counts its requests meanwhile; those
 * after the first 100 are never answered, so that an endless loop stops.
 */
export async function twoHosts(models = scriptedModels()) {
  const secrets = createMemorySecrets({ cheap: true })
  const sql = createMemorySql(await emptyImage)
  const line = { cut: false, tries: 0 }
  const reach = async () => {
    if (!line.cut) return
    line.tries += 1
    if (line.tries > 100) await new Promise(() => undefined)
    throw new StoreUnreachable('The database server cannot be reached: cut')
  }
  const cuttable: Sql = {
    ...sql,
    read: async (...args) => {
      await reach()
      return sql.read(...args)
    },
    write: async (...args) => {
      await reach()
      return sql.write(...args)
    },
  }
  const first = await createMemoryHost(areas, { sql: cuttable, secrets, models }, {}, false)
  const second = await createMemoryHost(areas, { sql, secrets }, {}, false)
  await passing([first, second], 500)
  return { first, second, line }
}

/** Lets time pass at each of them. */
export async function passing(hosts: readonly MemoryHost[], milliseconds: number): Promise<void> {
  for (const host of hosts) await host.clock.advance(milliseconds)
}
