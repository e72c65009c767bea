import { join } from 'node:path'
import { defaultConfig } from '../../runtime/config.ts'
import type { Ports } from '../../runtime/host.ts'
import { withOffline } from '../../runtime/models/models.ts'
import type { Backups } from '../../runtime/ports/backups.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Log } from '../../runtime/ports/log.ts'
import type { Sandbox } from '../../runtime/ports/sandbox.ts'
import type { Sql } from '../../runtime/ports/sql.ts'
import type { Tracer } from '../../runtime/ports/tracer.ts'
import { minute } from '../../runtime/time.ts'
import { Bubblewrap, sandboxUser } from '../bubblewrap/bubblewrap.ts'
import { createClock } from '../clock/clock.ts'
import { createDisk } from '../disk/files.ts'
import { Docker } from '../docker/docker.ts'
import { createRepositories } from '../git/repositories.ts'
import { createBackups } from '../libsql/backups.ts'
import { createMachine } from '../machine/machine.ts'
import { noBackups } from '../memory/absent.ts'
import { createBus } from '../memory/bus.ts'
import { lazyModels } from '../models/lazy.ts'
import { createOutbound } from '../outbound/outbound.ts'
import { createPackages } from '../packages/packages.ts'
import { createMetrics } from '../prometheus/metrics.ts'
import { push } from '../push/push.ts'
import { ThreadReader } from '../reader/reader.ts'
import { ThreadScript } from '../script/script.ts'
import { masterKeyId, openSecrets } from '../secrets/secrets.ts'
import { createVisualization } from '../visualization/visualization.ts'
import type { Environment } from './environment.ts'
import {
  browserFolder,
  lazyBrowser,
  lazyDatabases,
  lazyMail,
  lazyToolServers,
  lazyTracer,
  nodeEmbedder,
} from './lazy.ts'
import { loadStepwise } from './warm-up.ts'

export interface NodeParts {
  environment: Environment
  sql: Sql
  log: Log
  /** Restarts this daemon; null if it cannot be restarted. */
  restart?: (() => void) | null
  /** Ports where this daemon listens; no outgoing request may reach them. */
  own_ports(): number[]
}

/** Every port of a Node host, and how to release those that hold resources. */
export function nodePorts({ environment, sql, log, own_ports, restart = null }: NodeParts): {
  ports: Ports
  tracer: Tracer | null
  close(): Promise<void>
} {
  const { data_dir, secret_key, timezone } = environment
  const clock = createClock()
  const { outbound_allowlist: allowlist, outbound_blocklist: blocklist } = environment
  const outbound = createOutbound({ allowlist, blocklist, own_ports })
  const { version } = defaultConfig
  const packages = createPackages({ data_dir, outbound })
  const tool_servers = lazyToolServers({ clock, log, outbound, version })
  const databases = lazyDatabases({ clock, connect: outbound.connect, private_folder: data_dir })
  const files = createDisk(join(data_dir, 'files'), { private_folder: data_dir })
  const browser = lazyBrowser({
    folder: browserFolder(data_dir),
    guard({ allow, block }) {
      const lists = { allowlist: [...allowlist, ...allow], blocklist: [...blocklist, ...block] }
      const { locate } = createOutbound({ ...lists, own_ports })
      return locate
    },
    packages,
    files,
    downloads: {
      most_bytes: environment.upload_limit,
      async room() {
        const { downloadRoom } = await import('../../runtime/browser/files.ts')
        return downloadRoom({ sql, files }, environment.files_quota)
      },
    },
    clock,
    log,
  })
  const embedder = nodeEmbedder(outbound, clock)
  const reader = new ThreadReader({ clock, idle_ms: minute })
  const script = new ThreadScript({ clock, idle_ms: minute })
  const ahead = () => loadStepwise('adapters/models/index.ts')
  const ports: Ports = {
    sql,
    log,
    clock,
    outbound,
    bus: createBus(),
    files,
    models: withOffline(lazyModels(outbound, clock, { ahead }), { clock, timezone }),
    embedder,
    reader,
    secrets: openSecrets({ data_dir, ...(secret_key ? { master_key: secret_key } : {}) }),
    metrics: createMetrics(),
    machine: createMachine(data_dir),
    mail: lazyMail(outbound),
    databases,
    push,
    tool_servers,
    packages,
    visualization: createVisualization((name) => packages.resolve(name)),
    browser,
    script,
    sandbox: nodeSandbox(join(data_dir, 'sandbox'), clock),
    repositories: createRepositories(join(data_dir, 'files')),
    backups: nodeBackups(environment, restart),
  }
  const { otlp_endpoint, otlp_headers, otlp_service_name: service } = environment
  const tracer = otlp_endpoint
    ? lazyTracer({ endpoint: otlp_endpoint, headers: otlp_headers, service, version, outbound, log })
    : null
  const close = async () => {
    await tracer?.close()
    await browser.end()
    await tool_servers.close()
    await embedder.close()
    await reader.close()
    await script.close()
    await databases.close()
    await outbound.close()
  }
  return { ports, tracer, close }
}

function nodeBackups(environment: Environment, restart: (() => void) | null): Backups {
  const { data_dir, database_url, encryption_key, secret_key: master_key } = environment
  if (database_url)
    return {
      ...noBackups,
      unsupported: 'The database is on a libSQL server; back it up and restore it there',
    }
  const key_id = () => masterKeyId({ data_dir, ...(master_key ? { master_key } : {}) })
  return createBackups({ data_dir, encryption_key, key_id, restart })
}

/** Workspaces of a daemon that runs as root belong to the user of the commands. */
function nodeSandbox(folder: string, clock: Clock): Sandbox {
  const isRoot = process.getuid?.() === 0
  const user = isRoot
    ? { uid: sandboxUser, gid: sandboxUser }
    : { uid: process.getuid?.() ?? sandboxUser, gid: process.getgid?.() ?? sandboxUser }
  const engines = [
    new Docker({ backend: 'docker', folder, user }),
    new Docker({ backend: 'podman', folder, user }),
    new Bubblewrap({ folder, clock }),
  ]
  return { engines, files: createDisk(folder, isRoot ? { owner: user } : {}) }
}
