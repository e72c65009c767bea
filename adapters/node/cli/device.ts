import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import type { Api } from '../../../handlers/index.ts'
import { defaultConfig } from '../../../runtime/config.ts'
import type { Device } from '../../../runtime/devices/schema.ts'
import { createFolder } from '../../process/create-folder.ts'
import { closeInherited } from '../../process/inherited.ts'
import type { DeviceState } from '../device/link.ts'
import { apiCommand } from './client.ts'
import { command, environmentOf, Failure, plain, print } from './command.ts'
import { idAt } from './derived/find.ts'
import { jsonOf } from './derived/values.ts'
import { untilEvent } from './events.ts'
import { networkUrls, requireDaemon } from './process.ts'

const platforms: Partial<Record<NodeJS.Platform, Device['platform']>> = {
  darwin: 'macos',
  linux: 'linux',
  win32: 'windows',
}

const connect = command({
  usage: 'devices connect',
  what: 'Connect this machine as a device and stay connected',
  options: {
    url: {
      value: 'url',
      what: 'URL of the daemon, needed only the first time (default http://127.0.0.1:18781)',
    },
    code: { value: 'code', what: '6-digit pairing code, needed only the first time' },
    name: { value: 'name', what: 'Name of this device (default: the name of the machine)' },
    folder: { value: 'path', what: 'Folder whose files agents may read and write (default: none)' },
    allow: { value: 'programs', what: 'Programs that agents may run, separated by commas (default: none)' },
    token: { value: 'token', what: 'New token of this device, after a rotation' },
    json: { what: 'Print each event as one line of JSON' },
  },
  examples: [
    'device connect --url http://192.168.1.10:18781 --code 123456',
    'device connect --folder ~/Shared',
  ],
  async run(_, { url, code, name, folder, allow = '', token, json }) {
    closeInherited()
    const { actionsOf, measureHealth, perform } = await import('../device/actions.ts')
    const { DeviceLink, LinkRefused } = await import('../device/link.ts')
    const { ActionFailed } = await import('../device/programs.ts')
    const place = environmentOf().data_dir
    const programs = allow.split(',').flatMap((one) => one.trim() || [])
    const actions = await actionsOf({ folder, allow: programs, private_folder: join(place, 'device') }).catch(
      (thrown: unknown) => {
        if (thrown instanceof ActionFailed || folder !== undefined)
          throw new Failure((thrown as Error).message)
        throw thrown
      },
    )
    const about = {
      model: os.arch(),
      os_version: `${os.type()} ${os.release()}`,
      client_version: defaultConfig.version,
    }
    const capabilities = Object.keys(actions)
    const state = await stateFor(
      place,
      { url, code, token },
      {
        name: name ?? os.hostname(),
        platform: platforms[process.platform] ?? 'other',
        capabilities,
        ...about,
      },
    )
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    const link = new DeviceLink({
      ...{ state, about, capabilities, signal: stop.signal, health: measureHealth },
      save: (changed) => saveState(place, changed),
      perform: (wanted) => perform(actions, wanted),
      report: (line) => process.stdout.write(`${json ? JSON.stringify(line) : plain(describe(line))}\n`),
    })
    try {
      await link.serve()
    } catch (thrown) {
      throw thrown instanceof LinkRefused ? new Failure(thrown.message) : thrown
    }
  },
})

function describe({ event, ...line }: { event: string; [field: string]: unknown }): string {
  const waiting = (line.waiting as string[] | undefined) ?? []
  const note = waiting.length > 0 ? `\nApprove on the Devices page: ${waiting.join(', ')}` : ''
  if (event === 'connected') return `Connected as ${line.name}${note}`
  if (event === 'allowed') return `The allowed commands have changed${note}`
  if (event === 'command') return `${line.command}: ${line.ok ? 'done' : 'failed'}`
  return `Disconnected (${line.code}); reconnecting in ${line.retry_in_seconds} s`
}

const stateFile = (folder: string) => join(folder, 'device.json')

/** Writes the token atomically, readable by its owner only. */
function saveState(folder: string, state: DeviceState): void {
  createFolder(folder)
  const path = stateFile(folder)
  writeFileSync(`${path}.new`, JSON.stringify(state), { mode: 0o600 })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}

/** Null if this machine is not paired. */
function readState(folder: string): DeviceState | null {
  const path = stateFile(folder)
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as DeviceState
  } catch {
    throw new Failure(`${path} is damaged: delete it and pair this machine again`)
  }
}

type PairBody = Omit<Api['POST']['/api/auth/device/pair']['body'], 'code'>

async function stateFor(
  folder: string,
  { url, code, token }: { url?: string | undefined; code?: string | undefined; token?: string | undefined },
  body: PairBody,
): Promise<DeviceState> {
  const known = readState(folder)
  if (code === undefined) {
    if (!known)
      throw new Failure('This machine is not paired yet; create a code on the Devices page and use --code')
    const state = { ...known, ...(url && { url }), ...(token && { device_token: token }) }
    if (url || token) saveState(folder, state)
    return state
  }
  const daemon = url ?? known?.url ?? 'http://127.0.0.1:18781'
  if (!/^https?:\/\//.test(daemon) || !URL.canParse(daemon))
    throw new Failure('--url must be an http or https address')
  const response = await fetch(new URL('/api/auth/device/pair', daemon), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, code }),
  }).catch(() => {
    throw new Failure(`Cannot reach a daemon at ${daemon}`)
  })
  const answer = (await response.json().catch(() => ({}))) as {
    device_id?: string
    device_token?: string
    error?: string
    message?: string
  }
  if (!response.ok)
    throw new Failure(answer.message ?? answer.error ?? `The daemon returned ${response.status}`)
  if (!answer.device_id || !answer.device_token) throw new Failure(`There is no hearthd at ${daemon}`)
  const state = { url: daemon, device_id: answer.device_id, device_token: answer.device_token, received: 0 }
  saveState(folder, state)
  return state
}

const pair = apiCommand({
  usage: 'devices pair',
  what: 'Create a pairing code that is valid for 5 minutes, with a QR code for phones',
  options: {
    name: { value: 'name', what: 'Name of the device' },
    url: { value: 'url', what: 'Where the device reaches this daemon (default: an address of this machine)' },
  },
  async run(_, options, client) {
    const { name } = options
    const url = reachableUrl(options.url)
    const created = await client.post('/api/devices/pairing-codes', {
      body: name === undefined ? {} : { name },
    })
    const link = `${url}/device#${created.code}`
    const { renderUnicodeCompact } = await import('uqr')
    const text = [
      `Pairing code: ${created.code}`,
      '',
      renderUnicodeCompact(link, { border: 2 }),
      '',
      `Scan the QR code with a phone, or open ${link}`,
      `On a computer: hearthd device connect --url ${url} --code ${created.code}`,
    ]
    print(options, { ...created, link }, text.join('\n'))
  },
})

/** Where another machine reaches the daemon; loopback if only this one can. */
function reachableUrl(given: string | undefined): string {
  if (given !== undefined && !/^https?:$/.test(URL.parse(given)?.protocol ?? ''))
    throw new Failure('--url must be an http or https address')
  const running = requireDaemon()
  const [found] = networkUrls(running.host, Number(new URL(running.url).port))
  return (given ?? found ?? running.url).replace(/(?<!\/)\/+$/, '')
}

const allow = apiCommand({
  usage: 'devices allow <device> <capabilities>',
  what: 'Approve capabilities of a device, separated by commas, or all',
  examples: ['device allow laptop notify,open_url', 'device allow laptop all'],
  async run([name = '', wanted = ''], options, client) {
    const params = { id: await idAt(client, '/api/devices/{id}', name) }
    const { capabilities } = await client.get('/api/devices/{id}', { params })
    const allowed_commands =
      wanted === 'all' ? capabilities : wanted.split(',').flatMap((one) => one.trim() || [])
    const device = await client.put('/api/devices/{id}', { params, body: { allowed_commands } })
    print(options, device, `${device.name} may run: ${device.allowed_commands.join(', ') || 'nothing'}`)
  },
})

const send = apiCommand({
  usage: 'devices command <device> <command>',
  what: 'Run a command on a device and print its output',
  options: {
    params: { value: 'json', what: 'Parameters of the command', default: '{}' },
    timeout: { value: 'seconds', what: 'How long to wait for the result', default: '60' },
    queue: { what: 'If the device is offline, queue the command and do not wait' },
  },
  examples: [`device command laptop notify --params '{"title": "Tea is ready"}'`],
  async run([name = '', wanted = ''], options, client) {
    const id = await idAt(client, '/api/devices/{id}', name)
    const { status } = await client.get('/api/devices/{id}', { params: { id } })
    const body = {
      command: wanted,
      params: (await jsonOf('params', options.params ?? '{}')) as Record<string, unknown>,
      timeout_seconds: Number(options.timeout),
      queue_if_offline: options.queue ?? false,
    }
    const sent = await client.post('/api/devices/{id}/commands', { params: { id }, body })
    if (options.queue && status !== 'online') return print(options, sent, `Queued: ${sent.id}`)
    const params = { id, command_id: sent.id }
    const done = await untilEvent(client, async () => {
      const now = await client.get('/api/devices/{id}/commands/{command_id}', { params })
      return now.ended_at === null ? undefined : now
    })
    if (done.status !== 'succeeded')
      throw new Failure(done.error ?? `The command was ${done.status}`, { name: done.status })
    print(options, done, JSON.stringify(done.output, null, 2))
  },
})

export const commands = [connect, pair, allow, send]
