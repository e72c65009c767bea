import { beforeAll, describe, expect, test } from 'vitest'
import { closedBrowser, noBrowser } from '../../adapters/memory/browser.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { authenticateSocket } from '../../runtime/auth/authenticate-socket.ts'
import { createKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { actingFor } from '../../runtime/auth/owner.ts'
import { NewKey } from '../../runtime/auth/schema.ts'
import { registerUser } from '../../runtime/auth/users.ts'
import { upsertAuthState } from '../../runtime/browser/auth-state-store.ts'
import { newScreenRecording } from '../../runtime/browser/recordings/screen-recording.ts'
import {
  finishRecording,
  finishScreenRecording,
  insertRecording,
  insertReplay,
  insertScreenRecording,
} from '../../runtime/browser/recordings/store.ts'
import { savePairing } from '../../runtime/channels/pairing-store.ts'
import { approvalsOfTurn, insertApproval, type StoredApproval } from '../../runtime/chat/approval-store.ts'
import { armCheckIn } from '../../runtime/chat/check-ins.ts'
import type { Context } from '../../runtime/context.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { contextOf, serve } from '../../runtime/http/serve.ts'
import type { Browser } from '../../runtime/ports/browser.ts'
import { iso, minute } from '../../runtime/time.ts'
import { fakeSandbox } from '../sandbox/kit.ts'
import { requestFor } from '../support/call.ts'
import { endpoints, sockets } from '../support/endpoints.ts'
import { peer, setUpAdmin, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

/**
 * Two users as a dimension of the auth matrix: what Ann makes is hidden from Ben, whatever the endpoint. The cases come
 * from the table of endpoints; an endpoint that the tables below do not cover fails.
 */

/** A word in everything that Ann makes. */
const marker = 'zanzibar'

const handle = serve(routesOf(endpoints))
const title = (route: Endpoint) => `${route.method} ${route.path}`
const owned = endpoints.filter(({ owner }) => owner === 'caller')
/** Only administrators may call these; the scope keeps all others out. */
const forUsers = owned.filter(({ access }) => access !== 'admin')

let host: MemoryHost
let keys: Record<'admin' | 'ann' | 'ben', string>
let ids: Record<'ann' | 'ben', string>

type Who = keyof typeof keys
type Options = Parameters<typeof requestFor>[1]

async function send(who: Who, method: string, path: string, options: Options = {}): Promise<Response> {
  const [plain = '', query = ''] = path.split('?')
  const all = {
    ...Object.fromEntries(new URLSearchParams(query)),
    ...Object.fromEntries(new URLSearchParams(options.query)),
  }
  const headers = { authorization: `Bearer ${keys[who]}`, ...options.headers }
  return handle(requestFor({ method: method as 'GET', path: plain }, { ...options, query: all, headers }), host, peer)
}

async function made(who: Who, path: string, options: Options = {}): Promise<Record<string, string>> {
  const response = await send(who, 'POST', path, options)
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.headers.get('content-type')?.includes('json') ? response.json() : {}
}

/** The owners in whose profile the browser was used. */
const profiles: string[] = []
const browser: Browser = {
  ...noBrowser,
  status: () => ({ ...closedBrowser, running: true }),
  as({ owner_id }) {
    profiles.push(owner_id)
    return noBrowser
  },
}

/** Required queries of endpoints that read. */
const queries: Record<string, Record<string, string>> = {
  'GET /api/chat/search': { q: marker },
  'GET /api/memory/search': { q: marker, mode: 'hybrid' },
  'GET /api/projects/{id}/files/raw': { path: 'x.txt' },
  'GET /api/sandbox/containers/{id}/files/content': { path: 'x.txt' },
  'PUT /api/sandbox/containers/{id}/files/content': { path: 'x.txt' },
  'DELETE /api/sandbox/containers/{id}/files/content': { path: 'x.txt' },
}

/** The path parameters of what Ann has made, by the beginning of the path. */
let things: Record<string, Record<string, string>>

/** Parameters that name nobody's thing: the answer depends on the caller. */
const parameters: Record<string, Record<string, string>> = {
  '/api/agents/{id}/stats': { id: '' },
  '/api/memory/jobs/{kind}': { kind: 'generate' },
  '/api/loops/templates/{template_id}/instantiate': { template_id: 'research' },
  '/api/workflows/templates/{id}/instantiate': { id: 'calculate' },
}

const paramsOf = ({ path }: Pick<Endpoint, 'path'>): Record<string, string> | undefined => {
  const prefix = Object.keys(things).find((start) => path.startsWith(start))
  return prefix === undefined ? undefined : things[prefix]
}

/** Valid bodies, so that nothing else than the owner is the reason of a refusal. */
/** What the other user has. */
const own = { device_id: '' }

const bodies: Record<string, () => unknown> = {
  'POST /api/workflows/{id}/settle-note': () => ({ path: 'nodes.a', message: 'Choose an account' }),
  'POST /api/workflows/{id}/preview': () => ({ node_id: 'start', text: '=input' }),
  'PUT /api/chat/conversations/{id}': () => ({ title: 'Mine now' }),
  'PATCH /api/chat/conversations/{id}/mode': () => ({ mode: 'chat' }),
  'PUT /api/chat/conversations/{id}/execution-mode': () => ({ execution_mode: 'auto' }),
  'POST /api/chat/conversations/{id}/approval-response': () => ({
    approval_id: things.approval?.id,
    approved: true,
  }),
  'PUT /api/memory/episodes/{id}': () => ({ content: 'Mine now' }),
  'POST /api/memory/episodes/{id}/feedback': () => ({ used: true }),
  'PUT /api/scheduler/jobs/{id}': () => ({ name: 'Mine now' }),
  'POST /api/scheduler/jobs/{id}/backfill': () => ({
    start: '2026-01-01T00:00:00Z',
    end: '2026-01-02T00:00:00Z',
  }),
  'POST /api/dispatcher/decisions/{id}/override': () => ({ intent: 'task' }),
  'POST /api/loops/{id}/steer': () => ({ instruction: 'x' }),
  'POST /api/loops/{id}/answer': () => ({ answer: 'x' }),
  'PUT /api/loops/{id}': () => ({ name: 'Mine now' }),
  'PUT /api/webhooks/{id}': () => ({ name: 'Mine now' }),
  'PUT /api/hooks/{id}': () => ({ name: 'Mine now' }),
  'PUT /api/webhooks/incoming/{id}': () => ({ name: 'Mine now' }),
  'POST /api/webhooks/incoming/{id}/preview': () => ({ action: { kind: 'agent', message: 'x' } }),
  'PUT /api/permissions/{id}': () => ({ uses_left: 1 }),
  'PUT /api/credentials/{id}': () => ({ name: 'Mine now' }),
  'PUT /api/tables/{id}': () => ({ name: 'Mine now' }),
  'POST /api/tables/{id}/insert': () => ({ rows: [{ Name: 'x' }] }),
  'POST /api/tables/{id}/edit': () => ({ ids: [1], values: { Name: 'x' } }),
  'POST /api/tables/{id}/upsert': () => ({ rows: [{ Name: 'x' }], by: 'Name' }),
  'POST /api/tables/{id}/remove': () => ({ ids: [1] }),
  'POST /api/tables/{id}/undo': () => ({ change_id: 'chg_x' }),
  'POST /api/credentials/{id}/authorized': () => ({ state: 'x', code: 'x' }),
  'PUT /api/devices/{id}': () => ({ name: 'Mine now' }),
  'POST /api/devices/{id}/commands': () => ({ command: 'notify', params: { title: 'x' } }),
  'PUT /api/notifications/browsers/{id}': () => ({ name: 'Mine now' }),
  'PUT /api/device-groups/{id}': () => ({ name: 'Mine now' }),
  'POST /api/device-groups/{id}/devices': () => ({ device_id: own.device_id }),
  'POST /api/device-groups/{id}/commands': () => ({ command: 'notify', params: { title: 'x' } }),
  'PUT /api/channels/{id}': () => ({ name: 'Mine now' }),
  'POST /api/channels/{id}/send': () => ({ text: 'x' }),
  'PUT /api/channels/bindings/{id}': () => ({ priority: 1 }),
  'PUT /api/projects/{id}': () => ({ name: 'Mine now' }),
  'POST /api/projects/{id}/refine-plan': () => ({ instructions: 'x' }),
  'POST /api/projects/{id}/phases': () => ({ name: 'Mine now' }),
  'POST /api/projects/{id}/tasks': () => ({ title: 'Mine now' }),
  'PUT /api/projects/{id}/tasks/{task_id}': () => ({ title: 'Mine now' }),
  'POST /api/projects/{id}/tasks/{task_id}/answer': () => ({ answer: 'x' }),
  'POST /api/projects/{id}/files/upload': () => form('ben.txt', 'of Ben'),
  'PUT /api/workflows/{id}': () => ({ name: 'Mine now' }),
  'POST /api/workflows/executions/{id}/answer': () => ({ token: 1, choice: 'Approve' }),
  'PUT /api/sandbox/containers/{id}': () => ({ name: 'Mine now' }),
  'POST /api/sandbox/containers/{id}/exec': () => ({ command: 'true' }),
  'PUT /api/browser/recordings/{id}': () => ({ name: 'Mine now' }),
  'POST /api/browser/recordings/{id}/replay': () => ({}),
  'POST /api/browser/screen-recording/from-recording/{recording_id}': () => ({}),
}

/** Endpoints without a path parameter that name a thing in their body: with one of Ann's they refuse. */
const mentions: Record<string, () => unknown> = {
  'POST /api/chat/messages/inject': () => ({
    conversation_id: things['/api/chat/conversations/{id}']?.id,
    role: 'user',
    content: 'x',
  }),
  'POST /api/chat/links': () => ({ conversation_id: things['/api/chat/conversations/{id}']?.id }),
  'POST /api/chat/messages/truncate': () => ({
    conversation_id: things['/api/chat/conversations/{id}']?.id,
    keep_last: 0,
  }),
  'POST /api/chat/messages/stream': () => ({
    conversation_id: things['/api/chat/conversations/{id}']?.id,
    message: 'x',
  }),
  'POST /api/dispatcher/inject': () => ({
    conversation_id: things['/api/chat/conversations/{id}']?.id,
    text: 'x',
  }),
  'POST /api/channels/bindings': () => ({ channel_id: things['/api/channels/{id}']?.id }),
  'PUT /api/channels/settings': () => ({
    notifications: { channel_id: things['/api/channels/{id}']?.id },
  }),
  'POST /api/chat/welcome': () => ({ conversation_id: things['/api/chat/conversations/{id}']?.id }),
  'POST /api/devices/pairing-codes': () => ({ group_id: things['/api/device-groups/{id}']?.id }),
  'POST /api/device-groups': () => ({ name: 'Mine', device_ids: [things['/api/devices/{id}']?.id] }),
  'POST /api/scheduler/chains': () => ({
    name: 'Mine',
    jobs: [things['/api/scheduler/jobs/{id}']?.id],
    edges: [],
  }),
  // What is recorded in the one browser belongs to who started it.
  'POST /api/browser/recording/stop': () => ({}),
  'POST /api/browser/screen-recording': () => ({ action: 'stop' }),
}

/** Endpoints without a path parameter that make something of the caller's own, and touch nothing else. */
const makes: Record<string, () => unknown> = {
  'POST /api/chat/conversations': () => ({ title: 'Of Ben' }),
  'POST /api/channels': () => ({ platform: 'webhook', name: 'Of Ben' }),
  'PUT /api/settings/notifications': () => ({ events: [] }),
  'POST /api/files': () => form('ben.txt', 'of Ben'),
  'POST /api/memory/episodes': () => ({ content: 'Ben likes coffee' }),
  'POST /api/memory/generate-episodes': () => ({}),
  'POST /api/memory/consolidate/conversations': () => ({}),
  'POST /api/memory/backfill-entities': () => ({}),
  'POST /api/scheduler/jobs': () => ({
    name: 'Of Ben',
    goal: 'x',
    schedule: { type: 'every', interval: 3600 },
  }),
  'POST /api/loops': () => ({ goal: 'Of Ben' }),
  'POST /api/notifications/browsers': () => ({
    name: 'Of Ben',
    subscription: { endpoint: 'https://push.example/ben', keys: { p256dh: 'key', auth: 'secret' } },
  }),
  'POST /api/hooks': () => ({
    name: 'Of Ben',
    events: ['job.*'],
    action: { kind: 'notify', message: 'x' },
  }),
  'POST /api/tables': () => ({ name: 'Of Ben' }),
  'POST /api/permissions': () => ({ tool: 'files' }),
  'POST /api/permissions/simulate': () => ({ permission: { tool: 'files' } }),
  'POST /api/credentials': () => ({
    name: 'Of Ben',
    fields: { kind: 'bearer', token: 'x' },
    hosts: ['example.org'],
  }),
  'POST /api/webhooks/incoming': () => ({ name: 'Of Ben', auth: { kind: 'none' } }),
  'POST /api/webhooks': () => ({ name: 'Of Ben', url: 'https://example.org', events: ['job.*'] }),
  'POST /api/projects': () => ({ name: 'Of Ben' }),
  // One of Ann's is reported as failed.
  'POST /api/projects/batch/delete': () => ({ ids: [things['/api/projects/{id}']?.id] }),
  'POST /api/workflows': () => ({ name: 'Of Ben' }),
  'POST /api/workflows/import': () => ({
    ...{ format: 'hearthd.workflow', format_version: 1 },
    workflow: { name: 'Of Ben' },
  }),
  'POST /api/sandbox/containers': () => ({ name: 'Of Ben' }),
  'POST /api/sandbox/prune': () => ({}),
  'PUT /api/settings/profile': () => ({ display_name: 'Ben' }),
  'POST /api/settings/avatar': () => form('ben.png', '\u0089PNG'),
  'POST /api/browser/recording/start': () => ({ name: 'Of Ben' }),
  'POST /api/browser/auth-states': () => ({ name: 'shop' }),
}

function form(name: string, content: string): FormData {
  const data = new FormData()
  data.append('file', new File([content], name, { type: 'text/plain' }))
  return data
}

/** Reads that show the same whether somebody has made anything or not. */
const alike = ['GET /api/memory/clusters', 'GET /api/memory/jobs/{kind}', 'GET /api/scheduler/smart/suggestions']

/** Every endpoint that reads and names no thing. */
const isReading = ({ method, path }: Endpoint) =>
  method === 'GET' && (!path.includes('{') || parameters[path] !== undefined)

/** What a user reads, without the times of the answers. */
async function readAll(who: Who): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const route of forUsers.filter(isReading)) {
    const options = { query: queries[title(route)] ?? {}, params: parameters[route.path] ?? {} }
    const response = await send(who, 'GET', route.path, options)
    const answer = `${response.status} ${await response.text()}`
    // A score depends on how common a word is in all texts.
    found[title(route)] = answer.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/"score":[\d.]+/g, '"score":0')
  }
  return found
}

let before: Record<'ann' | 'ben', Record<string, string>>
let after: typeof before
/** Frames that Ben's socket got while Ann worked. */
const frames: string[] = []

beforeAll(async () => {
  const models = scriptedModels(
    text(`Noted, ${marker}.`),
    toolCall('files', { action: 'write', path: 'note.txt', content: marker }),
  )
  host = await testHost({ models, sandbox: fakeSandbox().sandbox, browser })
  const { api_key } = await setUpAdmin(host)
  const local = localContext(host)
  const agent = await requireDefaultAgent(host)
  parameters['/api/agents/{id}/stats'] = { id: agent.id }
  const join = async (username: string) => {
    const user = await registerUser(local, { username, password: 'ten characters', role: 'user' })
    const own = { ...local, caller: { ...local.caller, user_id: user.id } }
    const scopes = ['read', 'write', 'approve'] as const
    const { key } = await createKey(own, NewKey.parse({ name: username, scopes: [...scopes] }))
    return { id: user.id, key }
  }
  const [ann, ben] = [await join('ann'), await join('ben')]
  ids = { ann: ann.id, ben: ben.id }
  keys = { admin: api_key.key, ann: ann.key, ben: ben.key }

  const { code } = await made('ben', '/api/devices/pairing-codes')
  const device = await made('ben', '/api/auth/device/pair', {
    body: { code, name: 'Mine', platform: 'linux', capabilities: ['notify'] },
  })
  own.device_id = device.device_id ?? ''
  before = { ann: await readAll('ann'), ben: await readAll('ben') }
  const received: string[] = []
  await follow('ben', received)
  things = await annWorks(actingFor(local, ann.id), agent.id)
  frames.splice(0, Number.POSITIVE_INFINITY, ...received)
  after = { ann: await readAll('ann'), ben: await readAll('ben') }
})

/** Follows the events as a user does. */
async function follow(who: Who, received: string[]): Promise<void> {
  const route = sockets.find(({ path }) => path === '/ws/events')
  if (!route) throw new Error('there is no socket for events')
  const request = new Request(`http://127.0.0.1:18781${route.path}?token=${keys[who]}`)
  const context = contextOf(request, host, peer)
  context.caller = await authenticateSocket(route, request, context)
  const nothing = () => undefined
  const socket = {
    send: (frame: unknown) => void received.push(String(frame)),
    close: nothing,
    buffered: () => 0,
  }
  await route.open({ ...socket, onMessage: nothing, onClose: nothing }, context, null)
}

/** Ann makes one of everything. */
async function annWorks(context: Context, agent_id: string) {
  const now = iso(host.clock.now())
  const file = await made('ann', '/api/files', { body: form(`${marker}.txt`, marker) })
  const conversation = await made('ann', '/api/chat/conversations', { body: { title: marker } })
  const body = { conversation_id: conversation.id, message: `My island is ${marker}` }
  for (const message of [`${body.message} and I love it`, `Write ${marker} down`]) {
    await send('ann', 'POST', '/api/chat/messages/stream', { body: { ...body, message } })
    await workOff(host)
  }
  const { calls } = await (await send('ann', 'GET', '/api/monitoring/calls')).json()
  const { approvals } = await (await send('ann', 'GET', '/api/chat/approvals')).json()
  const armed = await armCheckIn(context, {
    conversation_id: conversation.id ?? '',
    agent_id,
    source: 'agent',
    delay_minutes: 60,
    waiting_on: marker,
    estimate_basis: 'x',
  })
  await context.commit(armed.statements, armed.events)

  const episode = await made('ann', '/api/memory/episodes', {
    body: { content: `Ann Miller works at Zanzibar Ferries`, topics: [marker] },
  })
  await workOff(host)
  await made('ann', '/api/memory/backfill-entities', { body: {} })
  await workOff(host)
  const graph = await (await send('ann', 'GET', '/api/memory/graph')).json()

  const schedule = { type: 'every', interval: 3600 }
  const wish = { name: marker, goal: marker, schedule, budget: { run_usd: 1, daily_usd: 1 } }
  const job = await made('ann', '/api/scheduler/jobs', { body: wish })
  const { run_id = '' } = await made('ann', `/api/scheduler/jobs/${job.id}/trigger`)
  await workOff(host)
  const chain = await made('ann', '/api/scheduler/chains', {
    body: { name: marker, jobs: [job.id], edges: [] },
  })

  const channel = await made('ann', '/api/channels', { body: { platform: 'webhook', name: marker } })
  const binding = await made('ann', '/api/channels/bindings', { body: { channel_id: channel.id } })
  const peerOf = { kind: 'dm' as const, id: marker, name: null, thread_id: null, team_id: null }
  await context.commit([
    savePairing({
      ...{ id: 'pair_1', channel_id: channel.id ?? '', sender_id: marker, sender_name: null, peer: peerOf },
      ...{ status: 'pending', role: null, code: 'ABCDEFGH', code_sent_at: now, requested_at: now },
      resolved_at: null,
    }),
  ])
  await send('ann', 'PUT', '/api/channels/settings', { body: { notifications: { channel_id: channel.id } } })

  const { decision } = await (
    await send('ann', 'POST', '/api/dispatcher/inject', { body: { text: `Open a project for ${marker}` } })
  ).json()
  await send('ann', 'POST', `/api/dispatcher/decisions/${decision.id}/override`, { body: { intent: 'task' } })
  const { rules } = await (await send('ann', 'GET', '/api/dispatcher/rules')).json()
  const loop = await made('ann', '/api/loops', {
    body: { goal: marker, verification: { kind: 'human', spec: {} } },
  })
  const looping = await made('ann', `/api/loops/${loop.id}/start`)
  await made('ann', `/api/loops/${loop.id}/pause`)
  const webhook = await made('ann', '/api/webhooks', {
    body: { name: marker, url: 'https://example.org', events: ['job.*'] },
  })
  const { id: delivery_id = '' } = await made('ann', `/api/webhooks/${webhook.id}/test`)
  const hook = await made('ann', '/api/hooks', {
    body: { name: marker, events: ['job.created'], action: { kind: 'notify', message: marker } },
  })
  const credential = await made('ann', '/api/credentials', {
    body: { name: marker, fields: { kind: 'bearer', token: marker }, hosts: ['example.org'] },
  })
  const permission = await made('ann', '/api/permissions', {
    body: { tool: 'files', match: [{ argument: 'path', op: 'prefix', value: marker }] },
  })
  const asked = { ...(await approvalsOfTurn(context, approvals[0]?.run_ref))[0], status: 'approved' } as StoredApproval
  await context.commit(['apr_1', 'apr_2', 'apr_3'].map((id) => insertApproval({ ...asked, id })))
  const table = await made('ann', '/api/tables', { body: { name: marker } })
  const incoming = await made('ann', '/api/webhooks/incoming', {
    body: { name: marker, auth: { kind: 'none' } },
  })
  const message = await made('ann', incoming.path ?? '', { body: { marker } })
  const { code } = await made('ann', '/api/devices/pairing-codes')
  const { device_id = '' } = await made('ann', '/api/auth/device/pair', {
    body: { code, name: marker, platform: 'linux', capabilities: ['notify'] },
  })
  const group = await made('ann', '/api/device-groups', {
    body: { name: marker, device_ids: [device_id] },
  })
  const link = await made('ann', '/api/chat/links', { body: { conversation_id: conversation.id } })
  const subscription = { endpoint: 'https://push.example/ann', keys: { p256dh: 'key', auth: 'secret' } }
  const browser = await made('ann', '/api/notifications/browsers', { body: { name: marker, subscription } })
  const order = { command: 'notify', params: { title: marker }, queue_if_offline: true }
  const command = await made('ann', `/api/devices/${device_id}/commands`, { body: order })
  const project = await made('ann', '/api/projects', { body: { name: marker } })
  const phase = await made('ann', `/api/projects/${project.id}/phases`, { body: { name: marker } })
  const task = await made('ann', `/api/projects/${project.id}/tasks`, { body: { title: marker } })

  const start = { id: 'start', type: 'trigger.manual', name: marker }
  const workflow = await made('ann', '/api/workflows', { body: { name: marker, nodes: [start] } })
  const { execution_id = '' } = await made('ann', `/api/workflows/${workflow.id}/execute`)
  await workOff(host)
  const container = await made('ann', '/api/sandbox/containers', { body: { name: marker } })
  await (
    await send('ann', 'POST', `/api/sandbox/containers/${container.id}/exec`, { body: { command: marker } })
  ).text()

  const recording = {
    ...{ recording_id: 'rec_1', name: marker, status: 'finished' as const, start_url: null, file_path: null },
    ...{ duration_seconds: 1, action_count: 0, started_at: now, finished_at: now },
  }
  const replay = {
    ...{ replay_id: 'replay_1', recording_id: 'rec_1', status: 'completed' as const, speed: 1, steps: [] },
    ...{ stop_on_error: true, error: null, created_at: now, finished_at: now },
  }
  const video = newScreenRecording(context, { recording_id: 'vid_1' })
  const state = { name: marker, cookies: 1, origins: [], created_at: now }
  await context.commit([
    insertRecording(ids.ann, recording),
    finishRecording(recording),
    insertReplay(replay),
    insertScreenRecording(ids.ann, video),
    finishScreenRecording({ ...video, status: 'completed', finished_at: now }),
    upsertAuthState(ids.ann, state, 'sealed'),
  ])
  await send('ann', 'PUT', '/api/settings/profile', {
    body: { display_name: marker, timezone: 'Asia/Tokyo' },
  })

  return {
    '/api/chat/conversations/{id}': {
      id: conversation.id ?? '',
      check_in_id: armed.checkIn.check_in_id,
      message_id: approvals[0]?.message_id,
    },
    '/api/monitoring/calls/{id}': { id: calls[0]?.id },
    '/api/chat/approvals/{id}': { id: approvals[0]?.id ?? '' },
    '/api/chat/sessions/{id}': { id: conversation.id ?? '' },
    '/api/permissions/{id}': { id: permission.id ?? '' },
    '/api/files/{id}': { id: file.id ?? '' },
    '/api/memory/episodes/{id}': { id: episode.id ?? '' },
    '/api/memory/entities/{id}': { id: String(graph.nodes[0]?.id) },
    '/api/scheduler/jobs/{id}': { id: job.id ?? '', run_id },
    '/api/scheduler/chains/{id}': { id: chain.id ?? '' },
    '/api/dispatcher/decisions/{id}': { id: decision.id },
    '/api/dispatcher/rules/{id}': { id: rules[0]?.id ?? '' },
    '/api/devices/{id}': { id: device_id, command_id: command.id ?? '' },
    '/api/device-groups/{id}': { id: group.id ?? '', device_id, command_id: 'gcmd_x' },
    '/api/chat/links/{id}': { id: link.id ?? '' },
    '/api/notifications/browsers/{id}': { id: browser.id ?? '' },
    '/api/channels/pairings/{id}': { id: 'pair_1' },
    '/api/channels/bindings/{id}': { id: binding.id ?? '' },
    '/api/channels/{id}': { id: channel.id ?? '' },
    '/api/loops/{id}': { id: loop.id ?? '', run_id: looping.run_id ?? '' },
    '/api/hooks/{id}': { id: hook.id ?? '', run_id: 'run_x' },
    '/api/credentials/{id}': { id: credential.id ?? '' },
    '/api/tables/{id}': { id: table.id ?? '' },
    '/api/webhooks/incoming/{id}': { id: incoming.id ?? '', delivery_id: message.delivery_id ?? '' },
    '/api/webhooks/{id}': { id: webhook.id ?? '', delivery_id },
    '/api/projects/{id}': { id: project.id ?? '', phase_id: phase.id ?? '', task_id: task.id ?? '' },
    '/api/workflows/executions/{id}': { id: execution_id },
    '/api/workflows/{id}': { id: workflow.id ?? '', version: '1' },
    '/api/sandbox/containers/{id}': { id: container.id ?? '' },
    '/api/browser/recordings/{id}': { id: 'rec_1' },
    '/api/browser/replays/{id}': { id: 'replay_1' },
    '/api/browser/screen-recordings/{id}': { id: 'vid_1' },
    '/api/browser/screen-recording/from-recording/{recording_id}': { recording_id: 'rec_1' },
    '/api/browser/auth-states/{name}': { name: marker },
    approval: { id: approvals[0]?.id },
  }
}

const named = forUsers.filter(({ path }) => path.includes('{') && !parameters[path])

describe('the things of another user do not exist', () => {
  test.each(named.map((route) => [title(route), route] as const))('%s is a 404', async (name, route) => {
    const params = paramsOf(route)
    if (!params) throw new Error('add what its parameter names to `things`')
    const body = bodies[name]?.()
    const needsBody = route.body !== undefined && !route.body_optional
    if (needsBody && body === undefined) throw new Error('add a valid body to `bodies`')
    const options = { params, query: queries[name] ?? {}, ...(body === undefined ? {} : { body }) }
    const response = await send('ben', route.method, route.path, options)
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('not_found')])
  })

  test.each(forUsers.filter(isReading).map((route) => [title(route)] as const))('%s is as before', (name) => {
    expect(after.ben[name]).toBe(before.ben[name])
    // Otherwise this test would see nothing.
    if (!alike.includes(name)) expect(after.ann[name]).not.toBe(before.ann[name])
  })
})

const unnamed = forUsers.filter(({ method, path }) => method !== 'GET' && !path.includes('{'))

test('a new endpoint without a path parameter is in one of the tables', () => {
  const names = unnamed.map(title).filter((name) => !mentions[name] && !makes[name])
  expect(names).toEqual([])
})

describe('the things of another user cannot be named', () => {
  const naming = unnamed.filter((route) => mentions[title(route)])
  test.each(naming.map((route) => [title(route), route] as const))('%s refuses', async (name, route) => {
    const response = await send('ben', route.method, route.path, { body: mentions[name]?.() })
    expect([404, 409, 422]).toContain(response.status)
    expect(await response.text()).not.toContain(marker)
  })

  test('as an attachment, the place of a delivery or a limited job', async () => {
    const { id: file } = things['/api/files/{id}'] ?? {}
    const message = { message: 'x', attachments: [file] }
    expect((await send('ben', 'POST', '/api/chat/messages/stream', { body: message })).status).toBe(422)
    const scope = { kind: 'job', id: things['/api/scheduler/jobs/{id}']?.id }
    const budget = { body: { scope, window: 'day', limit_usd: 1 } }
    expect((await send('admin', 'POST', '/api/monitoring/budgets', budget)).status).toBe(422)
    const budgets = await (await send('ben', 'GET', '/api/monitoring/budgets')).text()
    expect(budgets).not.toContain(scope.id)
  })
})

test('what Ben makes changes nothing of what Ann reads', async () => {
  const seen = await readAll('ann')
  for (const route of unnamed.filter((one) => makes[title(one)])) {
    const body = makes[title(route)]?.()
    await (await send('ben', route.method, route.path, { body })).text()
    await workOff(host)
  }
  expect(await readAll('ann')).toEqual(seen)
})

test('every table with an owner is declared, so that the first administrator takes over what was there', async () => {
  const tables = await host.sql.read<{ name: string }>(
    `SELECT m.name AS name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c ON c.name = 'owner_id'
      WHERE m.type = 'table' ORDER BY m.name`,
  )
  const declared = host.areas.flatMap(({ owned_tables = [] }) => owned_tables)
  expect(tables.map(({ name }) => name)).toEqual([...declared, 'events', 'work'].sort())
})

test('events reach their owner only', async () => {
  const secrets = [marker, ...Object.values(things).flatMap((params) => Object.values(params))]
  const leaks = frames.filter((frame) => secrets.some((secret) => frame.includes(secret)))
  expect(leaks).toEqual([])
  const shared = host.areas.flatMap(({ shared_events = [] }) => shared_events)
  expect(frames.map((frame) => JSON.parse(frame).type).filter((type) => !shared.includes(type))).toEqual([])
  const own: string[] = []
  await follow('ann', own)
  await made('ann', '/api/chat/conversations', { body: { title: 'Another' } })
  expect(own.join()).toContain('conversation.created')
})

describe('shared resources', () => {
  const changes = endpoints.filter(({ owner, method }) => owner === 'shared' && method !== 'GET')
  test.each(changes.map((route) => [title(route), route] as const))('%s needs an administrator', async (_, route) => {
    const response = await send('ben', route.method, route.path)
    expect(response.status).toBe(403)
  })
})

describe('an administrator', () => {
  const path = () => `/api/chat/conversations/${things['/api/chat/conversations/{id}']?.id}`

  test('does not see what belongs to a user without asking, and asking is audited', async () => {
    expect((await send('admin', 'GET', path())).status).toBe(404)
    expect((await send('admin', 'GET', `${path()}?owner=${ids.ann}`)).status).toBe(200)
    expect((await send('admin', 'GET', `${path()}?owner=${ids.ben}`)).status).toBe(404)
    const list = await (await send('admin', 'GET', '/api/chat/conversations?owner=all')).text()
    expect(list).toContain(marker)
    const audit = await (await send('admin', 'GET', '/api/auth/audit')).json()
    expect(audit.entries).toContainEqual(expect.objectContaining({ action: 'owner.viewed', target: ids.ann }))
  })

  test('names an existing user, and all only for reading', async () => {
    expect((await send('admin', 'GET', `${path()}?owner=user_x`)).status).toBe(404)
    expect((await send('admin', 'DELETE', `${path()}?owner=all`)).status).toBe(400)
  })

  test('is the only one who may ask', async () => {
    expect((await send('ben', 'GET', `${path()}?owner=${ids.ann}`)).status).toBe(403)
    expect((await send('ann', 'GET', `${path()}?owner=${ids.ann}`)).status).toBe(200)
  })

  test('answers for a user only shortly before the approval expires', async () => {
    const answer = () =>
      send('admin', 'POST', `${path()}/approval-response?owner=${ids.ann}`, {
        body: { approval_id: things.approval?.id, approved: false },
      })
    expect((await answer()).status).toBe(403)
    await host.clock.advance(26 * minute)
    expect((await answer()).status).toBe(200)
  })
})

describe('the browser profile of the caller', () => {
  const bodies: Record<string, unknown> = {
    'POST /api/browser/action': { action: 'reload' },
    'POST /api/browser/cookies': { cookies: [{ name: 'a', value: 'b', url: 'http://shop.example/' }] },
    'POST /api/browser/mock': { url_pattern: '**/api' },
    'POST /api/browser/screenshot': {},
    'POST /api/browser/tabs': {},
    'POST /api/browser/upload': fileField(),
  }
  function fileField(): FormData {
    const data = form('x.txt', 'x')
    data.append('selector', 'input')
    return data
  }
  const identity = ['/api/browser/emulation', '/api/browser/profile']
  const used = endpoints.filter(
    ({ path, owner, access }) =>
      path.startsWith('/api/browser/') && owner === 'none' && access !== 'admin' && !identity.includes(path),
  )
  test.each(used.map((route) => [title(route), route] as const))('is used by %s', async (name, route) => {
    profiles.length = 0
    const params = Object.fromEntries([...route.path.matchAll(/{(\w+)}/g)].map(([, key]) => [key, 'x']))
    const body = bodies[name]
    await send('ben', route.method, route.path, { params, ...(body !== undefined && { body }) })
    expect([...new Set(profiles)]).toEqual([ids.ben])
  })
})

test('the profile belongs to the user', async () => {
  const read = async (who: Who) => (await send(who, 'GET', '/api/settings/profile')).json()
  await send('ben', 'PUT', '/api/settings/profile', { body: { display_name: 'Ben' } })
  expect(await read('ann')).toMatchObject({ display_name: marker, timezone: 'Asia/Tokyo' })
  expect(await read('ben')).toMatchObject({ display_name: 'Ben', timezone: 'UTC' })
  expect(await read('admin')).toMatchObject({ display_name: '' })
})
