import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { DatabaseServer } from '../../runtime/ports/databases.ts'

export interface DatabaseService extends AsyncDisposable {
  server: DatabaseServer
  url: string
  /** Ends the server at once, as a failure would. */
  kill(): Promise<void>
}

const password = 'canary-pass-4711'
/** Servers refuse to run as root. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0
const user = isRoot ? { uid: nobody, gid: nobody } : {}

function programOf(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', ...globSync('/usr/lib/postgresql/*/bin')]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

interface Kind {
  /** Programs without which its tests are skipped. */
  programs: readonly string[]
  start(folder: string, port: number): ChildProcess
  server: Pick<DatabaseServer, 'engine' | 'database' | 'username'>
}

const kinds = {
  postgres: {
    programs: ['initdb', 'postgres'],
    server: { engine: 'postgres', database: 'postgres', username: 'ada' },
    start(folder, port) {
      const file = join(folder, 'password')
      writeFileSync(file, password)
      if (isRoot) chownSync(file, nobody, nobody)
      const data = join(folder, 'data')
      const options = [
        '-D',
        data,
        '-U',
        'ada',
        '-A',
        'scram-sha-256',
        `--pwfile=${file}`,
        '-N',
        '--no-locale',
        '-E',
        'UTF8',
      ]
      execFileSync(programOf('initdb') ?? '', options, { ...user, cwd: folder, stdio: 'ignore' })
      const settings = [
        '-c',
        'fsync=off',
        '-c',
        `unix_socket_directories=${folder}`,
        '-c',
        'listen_addresses=127.0.0.1',
      ]
      return spawn(programOf('postgres') ?? '', ['-D', data, '-p', String(port), ...settings], {
        ...user,
        cwd: folder,
        stdio: 'ignore',
      })
    },
  },
  mysql: {
    programs: ['mariadbd', 'mariadb-install-db'],
    server: { engine: 'mysql', database: 'shop', username: 'ada' },
    start(folder, port) {
      const data = join(folder, 'data')
      const common = ['--no-defaults', `--datadir=${data}`]
      const install = ['--auth-root-authentication-method=normal', '--skip-test-db']
      execFileSync(programOf('mariadb-install-db') ?? '', [...common, ...install], {
        ...user,
        cwd: folder,
        stdio: 'ignore',
      })
      const init = join(folder, 'init.sql')
      // A statement is one line.
      writeFileSync(
        init,
        `CREATE DATABASE shop;\nCREATE USER ada@'127.0.0.1' IDENTIFIED BY '${password}';\nGRANT ALL ON *.* TO ada@'127.0.0.1';\n`,
      )
      const files = [`--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`, `--init-file=${init}`]
      const small = ['--innodb-buffer-pool-size=16M', '--innodb-flush-log-at-trx-commit=0', '--skip-name-resolve']
      const network = [`--port=${port}`, '--bind-address=127.0.0.1']
      return spawn(programOf('mariadbd') ?? '', [...common, ...files, ...small, ...network], {
        ...user,
        cwd: folder,
        stdio: 'ignore',
      })
    },
  },
  redis: {
    programs: ['redis-server'],
    server: { engine: 'redis', database: '', username: '' },
    start: (folder, port) =>
      spawn(
        programOf('redis-server') ?? '',
        ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', password],
        {
          ...user,
          cwd: folder,
          stdio: 'ignore',
        },
      ),
  },
} satisfies Record<string, Kind>

/** Why the tests with a real server are skipped here; null if they run. */
export function databaseMissing(kind: keyof typeof kinds): string | null {
  const missing = kinds[kind].programs.find((name) => programOf(name) === null)
  if (missing === undefined) return null
  const reason = `${missing} is not installed`
  if (process.env.DATABASE_TESTS === 'required') throw new Error(`Databases must work here: ${reason}`)
  return reason
}

/** A server in a folder of its own, which a client with a password may use. */
export async function openDatabaseServer(kind: keyof typeof kinds): Promise<DatabaseService> {
  const folder = mkdtempSync(join(tmpdir(), `hearthd-${kind}-`))
  if (isRoot) chownSync(folder, nobody, nobody)
  const port = await freePort()
  const child = kinds[kind].start(folder, port)
  await untilReady(child, port)
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  const { engine, database, username } = kinds[kind].server
  return {
    server: { engine, host: '127.0.0.1', port, database, username, password, tls: 'none', is_trusted: true },
    url: `${engine}://${username}:${password}@127.0.0.1:${port}/${database}`,
    kill,
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (let left = 300; ; left -= 1) {
    if (child.exitCode !== null || left === 0) throw new Error(`The server did not start: ${child.spawnfile}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await wait(50)
  }
}
