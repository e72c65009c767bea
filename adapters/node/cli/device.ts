import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import type { Api } from '../../../handlers/index.ts'
import { defaultConfig } from '../../../runtime/config.ts'
import type { Device } from '../../../runtime/devices/schema.ts'
import { createFolder, writeJson } from '../../process/files.ts'
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
    authority: {
      value: 'fingerprint',
      what: 'SHA-256 fingerprint of the authority of a daemon with SERVICE_TLS=auto, as hearthd status shows it there',
    },
    token: { value: 'token', what: 'New token of this device, after a rotation' },
    json: { what: 'Print each event as one line of JSON' },
  },
  examples: ['device connect --url http://192.168.1.10:18781 --code 123456', 'device connect --folder ~/Shared'],
  async run(_, { url, code, name, folder, allow = '', authority, token, json }) {
    closeInherited()
    const { actionsOf, measureHealth, perform } = await import('../device/actions.ts')
    const { DeviceLink, LinkRefused } = await import('../device/link.ts')
    const { ActionFailed } = await import('../device/programs.ts')
    const place = environmentOf().data_dir
    const programs = allow.split(',').flatMap((one) => one.trim() || [])
    const actions = await actionsOf({ folder, allow: programs, private_folder: join(place, 'device') }).catch(
      (thrown: unknown) => {
        if (thrown instanceof ActionFailed || folder !== undefined) throw new Failure((thrown as Error).message)
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
      { url, code, token, authority },
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
      state,
      about,
      capabilities,
      signal: stop.signal,
      health: measureHealth,
      save: () => saveState(place, state),
      perform: (actionName) => perform(actions, actionName),
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

function saveState(folder: string, state: DeviceState): void {
  createFolder(folder)
  writeJson(stateFile(folder), state)
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

type ConnectOptions = Partial<Record<'url' | 'code' | 'token' | 'authority', string | undefined>>
type PairBody = Omit<Api['POST']['/api/auth/device/pair']['body'], 'code'>

async function stateFor(
  folder: string,
  { url, code, token, authority: fingerprint }: ConnectOptions,
  body: PairBody,
): Promise<DeviceState> {
  const saved = readState(folder)
  const { fetchAuthority, isUntrusted, trustAuthority } = await import('../device/authority.ts')
  const daemon = url ?? saved?.url ?? 'http://127.0.0.1:18781'
  if (!/^https?:\/\//.test(daemon) || !URL.canParse(daemon)) throw new Failure('--url must be an http or https address')
  const authority = fingerprint
    ? await fetchAuthority(daemon, fingerprint).catch((thrown: Error) => {
        throw new Failure(thrown.message)
      })
    : saved?.authority
  if (authority) trustAuthority(authority)
  const trusted = authority ? { authority } : {}
  if (code === undefined) {
    if (!saved) throw new Failure('This machine is not paired yet; create a code on the Devices page and use --code')
    const state = { ...saved, ...(url && { url }), ...(token && { device_token: token }), ...trusted }
    if (url || token || fingerprint) saveState(folder, state)
    return state
  }
  const response = await fetch(new URL('/api/auth/device/pair', daemon), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, code }),
  }).catch((thrown: unknown) => {
    throw new Failure(
      isUntrusted(thrown)
        ? `This machine does not trust the certificate of ${daemon}: pass --authority with the fingerprint that hearthd status shows there`
        : `Cannot reach a daemon at ${daemon}`,
    )
  })
  const answer = (await response.json().catch(() => ({}))) as {
    device_id?: string
    device_token?: string
    error?: string
    message?: string
  }
  if (!response.ok) throw new Failure(answer.message ?? answer.error ?? `The daemon returned ${response.status}`)
  if (!answer.device_id || !answer.device_token) throw new Failure(`There is no hearthd at ${daemon}`)
  const state = {
    url: daemon,
    device_id: answer.device_id,
    device_token: answer.device_token,
    received: 0,
    ...trusted,
  }
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
    const created = await client.post('/api/devices/pairing-codes', { body: name === undefined ? {} : { name } })
    const link = `${url}/device#${created.code}`
    const authority = options.url === undefined ? requireDaemon().tls?.authority : null
    const { renderUnicodeCompact } = await import('uqr')
    const text = [
      `Pairing code: ${created.code}`,
      '',
      renderUnicodeCompact(link, { border: 2 }),
      '',
      `Scan the QR code with a phone, or open ${link}`,
      ...(authority ? [`If the phone does not trust it yet, open ${url.replace('https', 'http')}/ca there first`] : []),
      `On a computer: hearthd device connect --url ${url} --code ${created.code}${authority ? ` --authority ${authority}` : ''}`,
    ]
    print(options, { ...created, link }, text.join('\n'))
  },
})

/** Where another machine reaches the daemon; loopback if only this one can. */
function reachableUrl(url: string | undefined): string {
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new Failure('--url must be an http or https address')
  const running = requireDaemon()
  const [address] = networkUrls(running)
  return (url ?? address ?? running.url).replace(/(?<!\/)\/+$/, '')
}

const allow = apiCommand({
  usage: 'devices allow <device> <capabilities>',
  what: 'Approve capabilities of a device, separated by commas, or all',
  examples: ['device allow laptop notify,open_url', 'device allow laptop all'],
  async run([name = '', commandName = ''], options, client) {
    const params = { id: await idAt(client, '/api/devices/{id}', name) }
    const { capabilities } = await client.get('/api/devices/{id}', { params })
    const allowed_commands =
      commandName === 'all' ? capabilities : commandName.split(',').flatMap((one) => one.trim() || [])
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
  async run([name = '', commandName = ''], options, client) {
    const id = await idAt(client, '/api/devices/{id}', name)
    const { status } = await client.get('/api/devices/{id}', { params: { id } })
    const body = {
      command: commandName,
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
