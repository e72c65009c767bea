import { z } from 'zod'
import type { Host } from '../host.ts'
import { second } from '../time.ts'

const bytes = z.int()
const unknown = 'null if unknown on this host'

export const System = z.object({
  cpu_pct: z
    .number()
    .nullable()
    .meta({ description: `CPU usage of all processors since the last reading, in percent; ${unknown}` }),
  load: z.array(z.number()).nullable().meta({ description: 'Load averages over 1, 5 and 15 minutes' }),
  memory: z
    .object({ total_bytes: bytes, free_bytes: bytes, used_pct: z.number() })
    .nullable()
    .meta({ description: `The machine; ${unknown}` }),
  disk: z
    .object({ total_bytes: bytes, free_bytes: bytes, used_pct: z.number() })
    .nullable()
    .meta({ description: `The disk that holds the data; ${unknown}` }),
  process: z.object({
    rss_bytes: bytes.nullable(),
    uptime_seconds: z.int(),
    event_loop_lag_ms: z.number().nullable(),
  }),
  database: z.object({ bytes, wal_bytes: bytes }),
})
export type System = z.output<typeof System>

/** Current state of the machine, the process and the database. */
export async function readSystem(host: Host): Promise<System> {
  const [load, disk, size] = [await host.machine.load(), await host.machine.disk(), await host.sql.size()]
  return {
    cpu_pct: load?.cpu_pct ?? null,
    load: load?.load ?? null,
    memory: load && withUsed(load.memory),
    disk: disk && withUsed(disk),
    process: {
      rss_bytes: host.machine.residentBytes(),
      uptime_seconds: Math.max(0, Math.floor((host.clock.now() - host.process.started_at) / second)),
      event_loop_lag_ms: load?.event_loop_lag_ms ?? null,
    },
    database: { bytes: size.bytes, wal_bytes: size.wal_bytes },
  }
}

const withUsed = ({ total_bytes, free_bytes }: { total_bytes: number; free_bytes: number }) => ({
  total_bytes,
  free_bytes,
  used_pct: total_bytes === 0 ? 0 : Math.round((1 - free_bytes / total_bytes) * 1_000) / 10,
})
