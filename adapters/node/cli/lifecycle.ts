import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import type { BootstrapState } from '../../../runtime/auth/schema.ts'
import { folderHolder, holderUrl } from '../../libsql/lock.ts'
import { desktopEnvironment } from '../../process/environment.ts'
import { prepareDataFolder } from '../data-folder.ts'
import type { Environment } from '../environment.ts'
import { addressOptions, command, environmentOf, Failure, jsonOption, print } from './command.ts'
import {
  askHealth,
  daemonVariables,
  entry,
  findDaemon,
  type Running,
  requireDaemon,
  type StartOptions,
  startArguments,
  startCommand,
  stopTimeout,
  waitUntil,
} from './process.ts'
import { buildUiIfNeeded } from './ui-build.ts'

const start = command({
  usage: 'start',
  what: 'Serve the API, the web UI and health checks',
  options: {
    ...addressOptions,
    dev: { what: 'Restart when the code changes' },
    detach: { what: 'Run in the background' },
    json: { what: 'Print one line of JSON' },
  },
  examples: ['start', 'start --host 127.0.0.1 --port 8080', 'start --detach'],
  async run(_, options) {
    if (options.detach) return startDetached(options)
    if (options.dev) return watch(options)
    return (await import('./serve.ts')).serve(options)
  },
})

/** Serves in a child process that Node restarts whenever a file that it loaded changes. */
async function watch(options: StartOptions): Promise<number> {
  const flags = ['--watch', '--watch-preserve-output']
  const args = startArguments({ ...options, dev: false })
  const child = spawn(process.execPath, [...flags, entry, 'start', ...args], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 0
}

/** Milliseconds that a daemon in the background may take to answer (SERVICE.md: "about 10 seconds"). */
const startTimeout = 10_000

/** Starts a daemon that outlives this command, and waits until it answers. */
async function startDetached(options: StartOptions): Promise<void> {
  const environment = environmentOf(options)
  const { data_dir } = environment
  prepareDataFolder(data_dir)
  await buildUiIfNeeded()
  const running = findDaemon(environment)
  if (running) {
    const message = `hearthd is already running at ${running.url} (pid ${running.pid})`
    throw new Failure(message, { name: 'already_running' })
  }
  const logs = join(data_dir, 'logs')
  const output = join(logs, 'start.log')
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  const file = openSync(output, 'w', 0o600)
  const [node, ...args] = startCommand({ ...options, json: true })
  const child = spawn(node, args, {
    detached: true,
    stdio: ['ignore', file, file],
    env: { ...process.env, ...daemonVariables },
  })
  closeSync(file)
  child.unref()
  let exited = false
  child.once('exit', () => {
    exited = true
  })
  const ready = await waitUntil(startTimeout, async () => exited || (await isHealthy(environment)))
  if (exited) throw startFailure(output)
  if (!ready) throw new Failure(`hearthd did not answer within ${startTimeout / 1000} s; see ${output}`)
  const { pid, url, host, port } = requireDaemon(environment)
  print(options, { started: true, pid, url, host, port }, `hearthd listens on ${url} (pid ${pid})`)
}

async function isHealthy({ data_dir }: Environment): Promise<boolean> {
  const holder = folderHolder(data_dir)
  return holder !== null && holder.port > 0 && (await askHealth(holderUrl(holder)))?.status === 'healthy'
}

/** The child prints its error as a line of JSON. */
function startFailure(output: string): Failure {
  const last = readFileSync(output, 'utf8').trim().split('\n').at(-1) ?? ''
  try {
    const { error, message } = JSON.parse(last) as { error: string; message: string }
    return new Failure(message, { name: error })
  } catch {
    return new Failure(last || `hearthd exited without an error message; see ${output}`)
  }
}

const stop = command({
  usage: 'stop',
  what: 'Stop the daemon of this data folder',
  options: {
    port: { value: 'port', what: 'Only if it listens on this port' },
    host: { value: 'address', what: 'Only if it listens on this address' },
    force: { what: 'Kill it at once (SIGKILL)' },
    strict: { what: 'Exit with 1 if none is running' },
    ...jsonOption,
  },
  async run(_, options) {
    const environment = environmentOf(options)
    const running = findDaemon(environment, options)
    if (running) {
      await stopDaemon(running, environment, options.force)
      print(options, { stopped: true, pid: running.pid }, `hearthd has stopped (pid ${running.pid})`)
      return 0
    }
    if (options.port !== undefined && (await askHealth(holderUrl(environment)))) {
      const { port, data_dir } = environment
      const message = `The hearthd on port ${port} does not use ${data_dir}; set SERVICE_DATA_DIR to its data folder`
      throw new Failure(message, { name: 'wrong_data_folder' })
    }
    print(options, { stopped: false, running: false }, 'hearthd is not running')
    return options.strict ? 1 : 0
  },
})

/** Sends the signal and waits until the data folder is released. */
async function stopDaemon({ pid }: Running, { data_dir }: Environment, force = false): Promise<void> {
  try {
    process.kill(pid, force ? 'SIGKILL' : 'SIGTERM')
  } catch (thrown) {
    const foreign = (thrown as NodeJS.ErrnoException).code === 'EPERM'
    throw new Failure(
      foreign
        ? `hearthd (pid ${pid}) belongs to another user`
        : `The hearthd of ${data_dir} (pid ${pid}) runs on another machine or in a container; stop it there`,
    )
  }
  if (await waitUntil(stopTimeout, () => folderHolder(data_dir) === null)) return
  throw new Failure(`hearthd (pid ${pid}) did not stop within ${stopTimeout / 1000} s; --force kills it at once`, {
    name: 'timeout',
  })
}

const restart = command({
  usage: 'restart',
  what: 'Stop the daemon and start it again in the background, or start it if none is running',
  options: {
    port: { value: 'port', what: 'New port (default: unchanged)' },
    host: { value: 'address', what: 'New address (default: unchanged)' },
    dev: { what: 'Restart when the code changes' },
    force: { what: 'Kill the old one at once (SIGKILL)' },
    ...jsonOption,
  },
  async run(_, options) {
    const { port, host, dev, force, json } = options
    if (!dev && port === undefined && host === undefined) {
      const service = (await import('./service.ts')).installedService()
      if (service) {
        service.restart()
        return print(options, { restarted: true, service: service.file }, 'hearthd was restarted by its service')
      }
    }
    const environment = environmentOf()
    const running = findDaemon(environment)
    if (running) await stopDaemon(running, environment, force)
    // The address is unchanged: a restart must not expose the daemon to more of the network.
    return startDetached({
      port: port ?? (running ? String(running.port) : undefined),
      host: host ?? running?.host,
      dev,
      json,
    })
  },
})

const status = command({
  usage: 'status',
  what: 'Show whether the daemon is running',
  options: {
    ...jsonOption,
    port: { value: 'port', what: 'Port to ask (default: that of the daemon of this data folder)' },
    host: { value: 'address', what: 'Address to ask' },
  },
  async run(_, options) {
    const environment = environmentOf(options)
    const running = options.host === undefined ? findDaemon(environment, options) : null
    const address = running ?? environment
    const health = await askHealth(holderUrl(address))
    const state = {
      running: health !== null || running !== null,
      status: health?.status ?? (running ? 'unresponsive' : 'stopped'),
      host: address.host || '127.0.0.1',
      port: address.port,
      uptime_seconds: health?.uptime_seconds ?? null,
    }
    const { data_dir } = environment
    const authority = running?.tls?.authority
    const rows = Object.entries({
      ...state,
      pid: running?.pid,
      authority,
      version: health?.version,
      data_dir,
    })
    const lines = rows.filter(([, value]) => value != null).map(([name, value]) => `${name.padEnd(16)}${value}`)
    print(options, state, lines.join('\n'))
  },
})

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

const open = command({
  usage: 'open',
  what: 'Open the web UI in the browser',
  options: { json: { what: 'Only print the address, as JSON' } },
  async run(_, options) {
    const { url: base, setup_token } = requireDaemon()
    const url = setup_token && (await isSetupOpen(base)) ? `${base}/setup#token=${setup_token}` : `${base}/`
    print(options, { url }, url)
    if (options.json) return
    const [program, ...args] = openers[process.platform] ?? ['xdg-open']
    const browser = spawn(program, [...args, url], {
      env: desktopEnvironment(),
      detached: true,
      stdio: 'ignore',
    })
    browser.on('error', () => process.stderr.write('hearthd: no browser found; open the address yourself\n'))
    browser.unref()
  },
})

/** Whether the daemon has no account yet. */
async function isSetupOpen(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/auth/bootstrap`)
  return ((await response.json()) as z.output<typeof BootstrapState>).bootstrap_mode
}

export const commands = [start, stop, restart, status, open]
