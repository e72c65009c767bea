import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClock } from '../../adapters/clock/clock.ts'
import { createMemoryLog } from '../../adapters/memory/log.ts'
import { type Daemon, startDaemon } from '../../adapters/node/daemon.ts'
import { readEnvironment } from '../../adapters/node/environment.ts'
import type { Log } from '../../runtime/ports/log.ts'

export interface TestDaemon extends Daemon {
  data_dir: string
  /** Lines at `warn` and above, for a test that fails. */
  trouble: string[]
}

interface TestDaemonOptions {
  /** Variables as an operator would set them. A data folder given here stays. */
  env?: Record<string, string>
  web_folder?: string
}

/** The whole service on a free port of the loopback address, with a data folder that goes away with it. */
export async function testDaemon({ env = {}, web_folder }: TestDaemonOptions = {}): Promise<TestDaemon> {
  const own = env.SERVICE_DATA_DIR === undefined
  const data_dir = env.SERVICE_DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'hearthd-test-')))
  const trouble: string[] = []
  const kept = createMemoryLog(createClock())
  const log: Log = {
    write(level, message, fields) {
      if (level === 'warn' || level === 'error') trouble.push(`${message} ${JSON.stringify(fields ?? {})}`)
      kept.write(level, message, fields)
    },
    recent: kept.recent,
    follow: kept.follow,
  }
  const environment = readEnvironment({
    SERVICE_HOST: '127.0.0.1',
    SERVICE_PORT: '0',
    SERVICE_DATA_DIR: data_dir,
    SERVICE_TIMEZONE: 'Europe/Berlin',
    ...env,
  })
  const daemon = await startDaemon({ environment, log, ...(web_folder && { web_folder }) })
  const close = async () => {
    await daemon.close()
    if (own) await rm(data_dir, { recursive: true, force: true })
  }
  return { ...daemon, data_dir, trouble, close }
}
