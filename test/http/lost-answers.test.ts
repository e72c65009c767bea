import { expect, test } from 'vitest'
import { noPackages } from '../../adapters/memory/absent.ts'
import { noBrowser } from '../../adapters/memory/browser.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { startUp } from '../../runtime/assemble.ts'
import { ownerOf } from '../../runtime/auth/owner.ts'
import { finishRecording, insertRecording } from '../../runtime/browser/recordings/store.ts'
import { savePairing } from '../../runtime/channels/pairing-store.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import type { Browser } from '../../runtime/ports/browser.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { StoreUnavailable } from '../../runtime/ports/sql.ts'
import type { NewProject } from '../../runtime/projects/schema.ts'
import { listChanges } from '../../runtime/sections/history-store.ts'
import type { Tab } from '../../runtime/tabs/schema.ts'
import { iso } from '../../runtime/time.ts'
import { planStep, projectModels, wants } from '../projects/kit.ts'
import { configure } from '../providers/kit.ts'
import { fakeBackups } from '../support/backups.ts'
import { type CallOptions, call } from '../support/call.ts'
import { parseEvents } from '../support/chat.ts'
import { endpoints } from '../support/endpoints.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

/**
 * The daemon dies after the commit of a request and before its answer: every POST that stores something gives its
 * repeat the first answer. The cases come from the table of endpoints; one that the tables below do not cover
 * fails.
 */

const title = ({ method, path }: Endpoint) => `${method} ${path}`
/** Endpoints without a body of JSON and those that stream apply the key themselves. */
const own = ['POST /api/files', 'POST /api/chat/messages/stream', 'POST /api/chat/conversations/{id}/regenerate']
const keyed = endpoints.filter(
  (endpoint) => endpoint.method === 'POST' && (endpoint.idempotent !== false || own.includes(title(endpoint))),
)

type Case = Pick<CallOptions, 'body' | 'query'> & { params?: Record<string, string | undefined> }
type Made = Record<string, string>

const backupOf = async (host: MemoryHost): Promise<string> => {
  const options = { signal: new AbortController().signal, onProgress: () => undefined }
  return (await host.backups.create({ ...options, reason: 'manual', folder: null, keys: false, files: false })).name
}

/** Requests that create or start something, and what must exist before them. */
const creating: Record<string, (make: Make, host: MemoryHost) => Case | Promise<Case>> = {
  'POST /api/agents': () => ({ body: { name: 'Cook' } }),
  'POST /api/agents/{id}/duplicate': async (make) => ({
    params: { id: (await make('/api/agents', { body: { name: 'A' } })).id },
  }),
  'POST /api/agents/import': () => ({
    body: { format: 'hearthd.agent', version: 1, agent: { name: 'Imported' } },
  }),
  'POST /api/auth/register': () => ({ body: { username: 'ben', password: 'ten characters' } }),
  'POST /api/auth/invitations': () => ({ body: { name: 'Ben' } }),
  'POST /api/auth/keys': () => ({ body: { name: 'Script', scopes: ['admin'] } }),
  'POST /api/auth/keys/{id}/rotate': async (make) => ({
    params: { id: (await make('/api/auth/keys', { body: { name: 'Old', scopes: ['admin'] } })).id },
  }),
  'POST /api/browser/recordings/{id}/replay': () => ({ params: { id: 'rec_1' }, body: { wait_seconds: 0 } }),
  'POST /api/browser/screen-recording/from-recording/{recording_id}': () => ({
    params: { recording_id: 'rec_1' },
    body: { wait_seconds: 0 },
  }),
  'POST /api/channels': () => ({ body: { platform: 'webhook' } }),
  'POST /api/channels/bindings': async (make) => ({
    body: { channel_id: (await make('/api/channels', { body: { platform: 'webhook' } })).id },
  }),
  'POST /api/channels/{id}/send': async (make) => ({
    params: { id: (await make('/api/channels', { body: { platform: 'webhook' } })).id },
    body: { text: 'x', to: 'someone' },
  }),
  'POST /api/chat/conversations': () => ({ body: { title: 'New' } }),
  'POST /api/chat/conversations/{id}/approval-response': async (make, host) => {
    const { id } = await make('/api/chat/conversations', { body: {} })
    await make('/api/chat/messages/stream', { body: { conversation_id: id, message: 'Write it' } })
    await workOff(host)
    const [approval] = await host.sql.read<{ id: string }>('SELECT id FROM approvals')
    return { params: { id }, body: { approval_id: approval?.id, approved: false } }
  },
  'POST /api/chat/conversations/{id}/regenerate': async (make) => {
    const { id } = await make('/api/chat/conversations', { body: {} })
    await make('/api/chat/messages/inject', { body: { conversation_id: id, role: 'user', content: 'x' } })
    return { params: { id } }
  },
  'POST /api/chat/links': async (make) => ({
    body: { conversation_id: (await make('/api/chat/conversations', { body: {} })).id },
  }),
  'POST /api/chat/messages/inject': async (make) => {
    const { id } = await make('/api/chat/conversations', { body: {} })
    return { body: { conversation_id: id, role: 'user', content: 'x' } }
  },
  'POST /api/chat/messages/stream': () => ({ body: { message: 'Hi' } }),
  'POST /api/chat/welcome': async (make) => ({
    body: { conversation_id: (await make('/api/chat/conversations', { body: {} })).id },
  }),
  'POST /api/credentials': () => ({
    body: { name: 'Mine', fields: { kind: 'bearer', token: 'x' }, hosts: ['example.org'] },
  }),
  'POST /api/tables': () => ({ body: { name: 'Mine' } }),
  'POST /api/permissions': () => ({ body: { tool: 'files' } }),
  'POST /api/devices/pairing-codes': () => ({ body: { name: 'Phone' } }),
  'POST /api/auth/device/pair': async (make) => ({
    body: { ...device, code: (await make('/api/devices/pairing-codes', { body: {} })).code },
  }),
  'POST /api/devices/{id}/rotate-token': async (make) => ({ params: { id: await newDevice(make) } }),
  'POST /api/devices/{id}/commands': async (make) => ({
    params: { id: await newDevice(make) },
    body: order,
  }),
  'POST /api/notifications/browsers': () => ({
    body: {
      name: 'Laptop',
      subscription: { endpoint: 'https://push.example/1', keys: { p256dh: 'key', auth: 'secret' } },
    },
  }),
  'POST /api/device-groups': () => ({ body: { name: 'Kitchen' } }),
  'POST /api/device-groups/{id}/devices': async (make) => {
    const { id } = await make('/api/device-groups', { body: { name: 'Kitchen' } })
    return { params: { id }, body: { device_id: await newDevice(make) } }
  },
  'POST /api/device-groups/{id}/commands': async (make) => {
    const body = { name: 'Kitchen', device_ids: [await newDevice(make)] }
    return { params: { id: (await make('/api/device-groups', { body })).id }, body: order }
  },
  'POST /api/dispatcher/decisions/{id}/override': async (make) => {
    const { decision } = await make('/api/dispatcher/inject', {
      body: { text: 'What is tea?', intent: 'chat' },
    })
    return { params: { id: (decision as unknown as Made).id }, body: { intent: 'memory' } }
  },
  'POST /api/dispatcher/inject': () => ({ body: { text: 'What is tea?', intent: 'chat' } }),
  'POST /api/features/packs/{id}/install': () => ({ params: { id: 'memory-visualization' } }),
  'POST /api/files': () => {
    const body = new FormData()
    body.set('file', new File(['hello'], 'hello.txt'))
    return { body }
  },
  'POST /api/loops': () => ({ body: { goal: 'x' } }),
  'POST /api/hooks': () => ({ body: hook }),
  'POST /api/webhooks': () => ({ body: receiver }),
  'POST /api/webhooks/incoming': () => ({ body: { name: 'Mine', auth: { kind: 'none' } } }),
  'POST /api/webhooks/incoming/{id}/capture': async (make) => ({
    params: { id: (await newIncoming(make)).id },
    body: {},
  }),
  'POST /api/webhooks/incoming/{id}/deliveries/{delivery_id}/replay': async (make, host) => {
    const { id, path = '' } = await newIncoming(make)
    const params = { path_token: path.split('/').at(-1) }
    const { delivery_id } = await make('/api/webhooks/in/{path_token}', { params, body: {} })
    await workOff(host)
    return { params: { id, delivery_id } }
  },
  'POST /api/webhooks/{id}/rotate-secret': async (make) => ({
    params: { id: (await make('/api/webhooks', { body: receiver })).id },
  }),
  'POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver': async (make) => {
    const { id } = await make('/api/webhooks', { body: receiver })
    const { id: delivery_id } = await make('/api/webhooks/{id}/test', { params: { id } })
    return { params: { id, delivery_id } }
  },
  'POST /api/loops/templates/{template_id}/instantiate': () => ({
    params: { template_id: 'review-with-me' },
    body: { values: { goal: 'x' } },
  }),
  'POST /api/memory/backfill-entities': () => ({ body: {} }),
  'POST /api/memory/consolidate/conversations': () => ({ body: {} }),
  'POST /api/memory/episodes': () => ({ body: { content: 'likes tea' } }),
  'POST /api/memory/episodes/{id}/feedback': async (make) => ({
    params: { id: (await make('/api/memory/episodes', { body: { content: 'likes tea' } })).id },
    body: { used: true },
  }),
  'POST /api/memory/episodes/{id}/restore': async (make) => {
    const { id = '' } = await make('/api/memory/episodes', { body: { content: 'likes tea' } })
    await make('/api/memory/episodes/{id}', { params: { id }, body: { content: 'likes juice' } }, 'PUT')
    return { params: { id }, body: { version: 1 } }
  },
  'POST /api/memory/generate-episodes': () => ({ body: {} }),
  'POST /api/monitoring/alerts': () => ({ body: alert }),
  'POST /api/monitoring/budgets': () => ({
    body: { scope: { kind: 'global' }, window: 'day', limit_usd: 1 },
  }),
  'POST /api/projects': () => ({ body: { name: 'P', description: 'x' } }),
  'POST /api/projects/{id}/duplicate': async (make) => ({ params: { id: await newProject(make) } }),
  'POST /api/projects/{id}/generate-plan': async (make) => ({ params: { id: await newProject(make) } }),
  'POST /api/scheduler/chains': async (make) => ({
    body: { name: 'C', jobs: [(await make('/api/scheduler/jobs', { body: job })).id], edges: [] },
  }),
  'POST /api/scheduler/chains/{id}/trigger': async (make) => {
    const jobs = [(await make('/api/scheduler/jobs', { body: job })).id]
    return {
      params: { id: (await make('/api/scheduler/chains', { body: { name: 'C', jobs, edges: [] } })).id },
    }
  },
  'POST /api/scheduler/jobs': () => ({ body: job }),
  'POST /api/scheduler/jobs/{id}/backfill': async (make) => ({
    params: { id: (await make('/api/scheduler/jobs', { body: job })).id },
    body: { start: '2026-01-05T08:00:00Z', end: '2026-01-05T12:00:00Z' },
  }),
  'POST /api/scheduler/jobs/{id}/pause': async (make) => ({
    params: { id: (await make('/api/scheduler/jobs', { body: job })).id },
  }),
  'POST /api/scheduler/jobs/{id}/resume': async (make) => {
    const params = { id: (await make('/api/scheduler/jobs', { body: job })).id }
    await make('/api/scheduler/jobs/{id}/pause', { params })
    return { params }
  },
  'POST /api/scheduler/jobs/{id}/runs/{run_id}/redeliver': async (make, host) => {
    const body = { ...job, delivery: { channel: 'email' } }
    const { id } = await make('/api/scheduler/jobs', { body })
    const { run_id } = await make('/api/scheduler/jobs/{id}/trigger', { params: { id } })
    await workOff(host)
    return { params: { id, run_id } }
  },
  'POST /api/scheduler/jobs/{id}/trigger': async (make) => ({
    params: { id: (await make('/api/scheduler/jobs', { body: job })).id },
  }),
  'POST /api/workflows': () => ({ body: { name: 'W' } }),
  'POST /api/workflows/import': () => ({
    body: { format: 'hearthd.workflow', format_version: 1, workflow: { name: 'W' } },
  }),
  'POST /api/workflows/templates/{id}/instantiate': () => ({ params: { id: 'calculate' } }),
  'POST /api/workflows/{id}/duplicate': async (make) => ({ params: { id: await newWorkflow(make) } }),
  'POST /api/workflows/{id}/settle-note': async (make) => {
    const nodes = [
      { name: 'Go', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
    ]
    const imported = await make('/api/workflows/import', { body: { name: 'W', nodes, connections: {} } })
    const { id } = imported.workflow as unknown as { id: string }
    const message = 'starts when this workflow is the error workflow of another one; choose it in the settings there'
    return { params: { id }, body: { path: 'nodes.go.import.', message } }
  },
  'POST /api/workflows/{id}/execute': async (make) => ({ params: { id: await newWorkflow(make) } }),
  'POST /api/settings/history/{id}/undo': async (_, host) => {
    await call(sections.interface.update, host, { body: { density: 'compact' } })
    const [change] = (await listChanges(host, '', { limit: 1, offset: 0 })).rows
    return { params: { id: change?.id } }
  },
  'POST /api/settings/backup': () => ({ body: {} }),
  'POST /api/settings/backups/{name}/verify': async (_, host) => ({ params: { name: await backupOf(host) } }),
  'POST /api/settings/backups/{name}/restore': async (_, host) => {
    const name = await backupOf(host)
    return { params: { name }, body: { confirm: name } }
  },
  'POST /api/settings/import': () => ({
    body: { format: 'hearthd.settings', version: 1, agents: [{ name: 'Imported' }] },
  }),
  'POST /api/settings/skills/builtin/{name}/toggle': () => ({ params: { name: 'summarize' }, body: {} }),
  'POST /api/settings/skills/custom': () => ({ body: { content: skill } }),
  'POST /api/settings/skills/custom/{id}/toggle': async (make) => ({
    params: { id: (await make('/api/settings/skills/custom', { body: { content: skill } })).id },
    body: {},
  }),
  'POST /api/settings/skills/mcp': () => ({
    body: { name: 'Tools', transport: 'http', url: 'https://mcp.example/' },
  }),
  'POST /api/settings/skills/mcp/catalog/{entry_id}/install': () => ({
    params: { entry_id: 'filesystem' },
    body: { values: { folder: '/srv' } },
  }),
}

const device = { name: 'Phone', platform: 'android', capabilities: ['notify'] }
const order = { command: 'notify', params: { title: 'Tea' }, queue_if_offline: true }

async function newDevice(make: Make): Promise<string> {
  const { code } = await make('/api/devices/pairing-codes', { body: {} })
  return (await make('/api/auth/device/pair', { body: { ...device, code } })).device_id ?? ''
}

/** Requests that change a state, and what must exist before them. */
const changing: Record<string, (make: Make, host: MemoryHost) => Case | Promise<Case>> = {
  'POST /api/browser/auth-states': () => ({ body: { name: 'Shop' } }),
  'POST /api/browser/emulation': () => ({ body: { viewport: { width: 800, height: 600 } } }),
  'POST /api/browser/profile': () => ({ body: { locale: 'de-DE' } }),
  'POST /api/browser/recording/start': () => ({ body: { name: 'R' } }),
  'POST /api/browser/recording/stop': async (make) => {
    await make('/api/browser/recording/start', { body: { name: 'R' } })
    return {}
  },
  'POST /api/chat/messages/truncate': async (make) => {
    const { id } = await make('/api/chat/conversations', { body: {} })
    const body = { conversation_id: id, role: 'user', content: 'x' }
    const message = await make('/api/chat/messages/inject', { body })
    for (let count = 0; count < 3; count += 1) await make('/api/chat/messages/inject', { body })
    return { body: { conversation_id: id, after_message_id: message.id } }
  },
  'POST /api/chat/conversations/{id}/messages/{message_id}/undo': async (make, host) => {
    const { id } = await make('/api/chat/conversations', { body: { execution_mode: 'auto' } })
    await make('/api/chat/messages/stream', { body: { conversation_id: id, message: 'Write it' } })
    await workOff(host)
    const [answer] = await host.sql.read<{ id: string }>("SELECT id FROM messages WHERE role = 'assistant'")
    return { params: { id, message_id: answer?.id } }
  },
  'POST /api/devices/{id}/commands/{command_id}/cancel': async (make) => {
    const id = await newDevice(make)
    const command = await make('/api/devices/{id}/commands', { params: { id }, body: order })
    return { params: { id, command_id: command.id } }
  },
  'POST /api/channels/pairings/{id}/approve': async (make, host) => ({
    params: { id: await pairingRequest(make, host) },
    body: { role: 'guest' },
  }),
  'POST /api/channels/pairings/{id}/deny': async (make, host) => ({
    params: { id: await pairingRequest(make, host) },
  }),
  'POST /api/memory/undo': async (make, host) => {
    await make('/api/memory/episodes', { body: { content: 'Ana lives in Lisbon' } })
    await make('/api/memory/consolidate/conversations', { body: { wipe: true } })
    await workOff(host)
    return {}
  },
  'POST /api/loops/{id}/answer': async (make, host) => ({
    params: { id: await startedLoop(make, host) },
    body: { answer: 'Not yet' },
  }),
  'POST /api/loops/{id}/pause': async (make) => ({ params: { id: await startedLoop(make) } }),
  'POST /api/loops/{id}/resume': async (make) => {
    const id = await startedLoop(make)
    await make('/api/loops/{id}/pause', { params: { id } })
    return { params: { id } }
  },
  'POST /api/loops/{id}/start': async (make) => ({ params: { id: await newLoop(make) } }),
  'POST /api/loops/{id}/steer': async (make) => ({
    params: { id: await newLoop(make) },
    body: { instruction: 'In UTC' },
  }),
  'POST /api/loops/{id}/stop': async (make) => ({ params: { id: await startedLoop(make) } }),
  'POST /api/monitoring/alerts/{id}/acknowledge': firingAlert,
  'POST /api/monitoring/alerts/{id}/resolve': firingAlert,
  'POST /api/monitoring/alerts/{id}/snooze': async (make, host) => ({
    ...(await firingAlert(make, host)),
    body: { minutes: 5 },
  }),
  'POST /api/projects/batch/delete': async (make) => ({
    body: { ids: [await newProject(make), await newProject(make), 'proj_none'] },
  }),
  'POST /api/projects/{id}/approve': async (make, host) => ({
    params: { id: await plannedProject(make, host) },
  }),
  'POST /api/projects/{id}/audit': async (make, host) => ({
    params: { id: await plannedProject(make, host) },
  }),
  'POST /api/projects/{id}/cancel': async (make, host) => ({
    params: { id: await plannedProject(make, host) },
  }),
  'POST /api/projects/{id}/phases': async (make) => ({
    params: { id: await newProject(make) },
    body: { name: 'Last' },
  }),
  'POST /api/projects/{id}/phases/{phase_id}/approve': async (make, host) => {
    const id = await plannedProject(make, host, { auto_approve_phases: false })
    await make('/api/projects/{id}/approve', { params: { id } })
    await workOff(host)
    const { phases } = (await make('/api/projects/{id}/phases', { params: { id } }, 'GET')) as unknown as {
      phases: Made[]
    }
    return { params: { id, phase_id: phases[1]?.id } }
  },
  'POST /api/projects/{id}/refine-plan': async (make, host) => ({
    params: { id: await plannedProject(make, host) },
    body: { instructions: 'Shorter' },
  }),
  'POST /api/projects/{id}/regenerate-plan': async (make, host) => ({
    params: { id: await plannedProject(make, host) },
  }),
  'POST /api/projects/{id}/tasks': async (make, host) => ({
    params: { id: await plannedProject(make, host) },
    body: { title: 'More' },
  }),
  'POST /api/projects/{id}/tasks/{task_id}/answer': async (make, host) => {
    const params = await startedTask(make, host)
    return { params, body: { answer: 'Green' } }
  },
  'POST /api/projects/{id}/retry': async (make, host) => ({
    params: { id: (await startedTask(make, host)).id },
  }),
  'POST /api/projects/{id}/tasks/{task_id}/retry': async (make, host) => ({
    params: await startedTask(make, host),
  }),
  'POST /api/projects/{id}/tasks/{task_id}/undo': async (make, host) => ({
    params: await startedTask(make, host),
  }),
  'POST /api/projects/{id}/tasks/{task_id}/skip': async (make, host) => {
    const id = await plannedProject(make, host)
    return { params: { id, task_id: await firstTask(make, id) } }
  },
  'POST /api/providers/{id}/test': async (make) => {
    const body = { api_key: 'sk-of-a-test-000000' }
    await make('/api/providers/{id}/key', { params: { id: 'anthropic' }, body }, 'PUT')
    return { params: { id: 'anthropic' } }
  },
  'POST /api/scheduler/jobs/{id}/runs/{run_id}/cancel': async (make) => {
    const { id } = await make('/api/scheduler/jobs', { body: job })
    const { run_id } = await make('/api/scheduler/jobs/{id}/trigger', { params: { id } })
    return { params: { id, run_id } }
  },
  'POST /api/settings/reset': () => ({}),
  'POST /api/settings/security/reset': () => ({}),
  'POST /api/setup/profile': () => ({ body: { display_name: 'Ana' } }),
  'POST /api/setup/provider': () => ({ body: { provider: 'anthropic', api_key: 'sk-of-a-test-000000' } }),
}

/** Requests that store nothing: their repeat runs again, like that of any request which had no effect. */
const storing_nothing: Record<string, (make: Make, host: MemoryHost) => Case | Promise<Case>> = {
  'POST /api/hooks/{id}/test': async (make) => ({
    params: { id: (await make('/api/hooks', { body: hook })).id },
  }),
  'POST /api/webhooks/incoming/{id}/preview': async (make) => ({
    params: { id: (await newIncoming(make)).id },
    body: { action: { kind: 'agent', message: 'x' }, body: {} },
  }),
  'POST /api/browser/auth-states/{name}/restore': async (make) => {
    await make('/api/browser/auth-states', { body: { name: 'Shop' } })
    return { params: { name: 'Shop' } }
  },
  'POST /api/browser/close': () => ({}),
  'POST /api/browser/cookies': () => ({
    body: { cookies: [{ name: 'a', value: 'b', url: 'http://shop.example/' }] },
  }),
  'POST /api/browser/mock': () => ({ body: { url_pattern: 'http://shop.example/*' } }),
  'POST /api/browser/tabs': () => ({}),
  'POST /api/chat/conversations/{id}/stop': async (make) => ({
    params: { id: (await make('/api/chat/conversations', { body: {} })).id },
  }),
  'POST /api/scheduler/jobs/{id}/dry-run': async (make) => ({
    params: { id: (await make('/api/scheduler/jobs', { body: job })).id },
  }),
  'POST /api/scheduler/parse-nl': () => ({ body: { text: 'every day at 9' } }),
  'POST /api/workflows/{id}/preview': async (make) => ({
    params: { id: await newWorkflow(make) },
    body: { text: '{{ input }}', node_id: start.id },
  }),
}

const unrepeatable = [
  // The test has been sent, which nobody can undo: the repeat says that it may have taken effect.
  'POST /api/webhooks/{id}/test',
  'POST /api/credentials/{id}/test',
  'POST /api/credentials/{id}/authorized',
  // What a container does is not in the database; a repeat starts or stops what may already be so.
  'POST /api/sandbox/containers',
  'POST /api/sandbox/containers/{id}/start',
  'POST /api/sandbox/containers/{id}/stop',
  'POST /api/sandbox/prune',
  // No replay runs any more after a crash, and the repeat says so.
  'POST /api/browser/replays/{id}/cancel',
  // It acts on pages, which nobody can undo or ask: the repeat says that it may have taken effect.
  'POST /api/browser/action',
  // Without a credential, which the first of them ends: its repeat is refused, and the password signs in.
  'POST /api/setup/admin',
  // Which rows it changes is known when the database has changed them: the repeat says that it took effect.
  'POST /api/tables/{id}/insert',
  'POST /api/tables/{id}/edit',
  'POST /api/tables/{id}/upsert',
  'POST /api/tables/{id}/remove',
  'POST /api/tables/{id}/undo',
  'POST /api/workflows/executions/{id}/answer',
  'POST /api/workflows/executions/{id}/cancel',
  'POST /api/workflows/executions/{id}/retry',
  'POST /api/workflows/{id}/activate',
  'POST /api/workflows/{id}/deactivate',
  'POST /api/workflows/{id}/validate',
  'POST /api/workflows/{id}/versions/{version}/restore',
]

async function pairingRequest(make: Make, host: MemoryHost): Promise<string> {
  const { id = '' } = await make('/api/channels', { body: { platform: 'webhook' } })
  const at = iso(host.clock.now())
  const peerOf = { kind: 'dm' as const, id: 'bob', name: null, thread_id: null, team_id: null }
  await host.sql.write([
    savePairing({
      ...{ id: 'pair_1', channel_id: id, sender_id: 'bob', sender_name: null, peer: peerOf },
      ...{ status: 'pending', role: null, code: 'ABCDEFGH', code_sent_at: at, requested_at: at },
      resolved_at: null,
    }),
  ])
  return 'pair_1'
}

const isTaskOf = (name: string) => name.startsWith('POST /api/projects/')

/** The model of projects: the first task asks, or fails. */
const modelsOf = (name: string) =>
  projectModels((call, asked) => {
    if (wants(call, 'submit_plan')) return planStep({ a: { title: 'First' } }, { b: { title: 'Second' } })
    if (wants(call, 'submit_audit')) return toolCall('submit_audit', { score: 80, findings: [] })
    if (asked !== 'First') return undefined
    if (name.endsWith('/undo')) return call.messages.at(-1)?.role === 'tool' ? undefined : write
    if (name.endsWith('/retry')) return [new ModelError('auth', 'No key')]
    return name.endsWith('/answer') ? toolCall('ask_user', { question: 'Green or black?' }) : undefined
  })

const receiver = { name: 'Mine', url: 'https://example.org', events: ['job.*'] }

const hook = { name: 'Mine', events: ['job.*'], action: { kind: 'notify', message: 'x' } }

const newIncoming = (make: Make) =>
  make('/api/webhooks/incoming', {
    body: { name: 'Mine', auth: { kind: 'none' }, action: { kind: 'agent', message: 'x' } },
  })

const newLoop = async (make: Make) =>
  (
    await make('/api/loops', {
      body: { goal: 'What time is it?', verification: { kind: 'human', spec: {} } },
    })
  ).id

/** A loop that has not begun its first iteration or, with a host, waits for the owner's verdict on it. */
async function startedLoop(make: Make, host?: MemoryHost) {
  if (host) await configure(host, ['anthropic'])
  const id = await newLoop(make)
  await make('/api/loops/{id}/start', { params: { id } })
  if (host) await workOff(host)
  return id
}

async function plannedProject(make: Make, host: MemoryHost, input: Partial<NewProject> = {}) {
  await configure(host, ['anthropic'])
  const { id = '' } = await make('/api/projects', { body: { name: 'P', description: 'x', ...input } })
  await make('/api/projects/{id}/generate-plan', { params: { id } })
  await workOff(host)
  return id
}

async function firstTask(make: Make, id: string) {
  const { tasks } = (await make('/api/projects/{id}', { params: { id } }, 'GET')) as unknown as {
    tasks: Made[]
  }
  return tasks[0]?.id
}

async function startedTask(make: Make, host: MemoryHost) {
  const id = await plannedProject(make, host, { decision_mode: 'human' })
  await make('/api/projects/{id}/approve', { params: { id } })
  await workOff(host)
  return { id, task_id: await firstTask(make, id) }
}

const tab: Tab = { id: 't1', url: 'http://shop.example/', title: 'Shop', active: true, leased_by: null }
const browser: Browser = {
  ...noBrowser,
  as: () => browser,
  engine: async () => ({ kind: 'system', executable: 'chromium', version: null }),
  act: async () => ({ url: tab.url, title: tab.title }),
  openTab: async () => tab,
  mock: async () => undefined,
  cookies: async () => [],
  addCookies: async () => undefined,
  storageState: async () => ({ cookies: [], origins: [] }),
  restoreState: async () => undefined,
}

const alert = { name: 'Spent', condition: 'tokens_today', threshold: 1 }

async function firingAlert(make: Make, host: MemoryHost): Promise<Case> {
  const { id } = await make('/api/monitoring/alerts', { body: alert })
  await host.sql.write([{ sql: `UPDATE alerts SET state = 'firing', armed = 0` }])
  return { params: { id } }
}

const job = { name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 3600 } }
const skill = '---\nname: greet\ndescription: How to greet\n---\nSay hello.'

const start = { id: 'start', type: 'trigger.manual', name: 'Start' }

const newWorkflow = async (make: Make) => (await make('/api/workflows', { body: { name: 'W', nodes: [start] } })).id

const newProject = async (make: Make) => (await make('/api/projects', { body: { name: 'P' } })).id

type Make = (path: string, options: Case, method?: string) => Promise<Made>

const maker =
  (host: MemoryHost): Make =>
  async (path, options, method = 'POST') => {
    const endpoint = endpoints.find((one) => one.path === path && one.method === method)
    if (!endpoint) throw new Error(`there is no ${method} ${path}`)
    const response = await call(endpoint, host, options as CallOptions)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.headers.get('content-type')?.includes('json') ? response.json() : {}
  }

const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'x' })

async function newHost(name: string): Promise<MemoryHost> {
  const models = isTaskOf(name)
    ? modelsOf(name)
    : name.includes('approval')
      ? scriptedModels(write)
      : name.endsWith('/undo')
        ? scriptedModels(write, text('Done.'))
        : scriptedModels(text('one'), text('two'))
  const host = await testHost({
    models,
    browser,
    packages: { ...noPackages, unsupported: null },
    backups: fakeBackups(() => 0),
  })
  const context = { ...contextOf(new Request('http://127.0.0.1:18781/'), host, peer), caller: adminCaller }
  const at = iso(host.clock.now())
  const recording = {
    ...{ recording_id: 'rec_1', name: 'R', status: 'finished' as const, start_url: null, file_path: null },
    ...{ duration_seconds: 1, action_count: 0, started_at: at, finished_at: at },
  }
  await context.commit([insertRecording(ownerOf(context), recording), finishRecording(recording)])
  return host
}

/** Nothing that is written about the key alone is stored any more, as if the daemon were dead. */
function dieAfterCommit(host: MemoryHost): void {
  const { write } = host.sql
  host.sql.write = (statements, options) =>
    /^(UPDATE idempotency SET|DELETE FROM idempotency WHERE slot)/.test(statements[0]?.sql ?? '')
      ? Promise.reject(new StoreUnavailable('dead'))
      : write.call(host.sql, statements, options)
}

/** The answer; of a stream its last event, because it may have ended in the meantime. */
async function contentOf(response: Response, host: MemoryHost): Promise<unknown> {
  const [content] = await Promise.all([response.text(), workOff(host)])
  return content.startsWith('{') ? JSON.parse(content) : parseEvents(content).at(-1)?.data
}

test('every POST with a key is in one of the tables', () => {
  const names = keyed
    .map(title)
    .filter((name) => !stating[name] && !storing_nothing[name] && !unrepeatable.includes(name))
  expect(names).toEqual([])
})

const stating = { ...creating, ...changing }
const casesOf = (table: object) =>
  keyed.filter((one) => title(one) in table).map((endpoint) => [title(endpoint), endpoint] as const)

test.each(casesOf(stating))('%s: the repeat after a lost answer gives it', async (name, endpoint) => {
  const host = await newHost(name)
  const given = (await stating[name]?.(maker(host), host)) as CallOptions
  dieAfterCommit(host)
  const headers = { 'idempotency-key': 'once' }
  const first = await call(endpoint, host, { ...given, headers })
  const answer = await contentOf(first, host)
  expect(first.status, JSON.stringify(answer)).toBeLessThan(300)
  await startUp(host, { alone: true })
  const events = host.events.length

  const again = await call(endpoint, host, { ...given, headers })
  expect([again.status, await contentOf(again, host)]).toEqual([first.status, answer])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(host.events.slice(events)).toEqual([])
})

test.each(casesOf(storing_nothing))('%s stores nothing: its repeat runs again', async (name, endpoint) => {
  const host = await newHost(name)
  const given = (await storing_nothing[name]?.(maker(host), host)) as CallOptions
  dieAfterCommit(host)
  const headers = { 'idempotency-key': 'once' }
  const first = await call(endpoint, host, { ...given, headers })
  const answer = await contentOf(first, host)
  expect(first.status, JSON.stringify(answer)).toBeLessThan(300)
  await startUp(host, { alone: true })

  const again = await call(endpoint, host, { ...given, headers })
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([first.status, null])
})

test('an act in the browser whose answer was lost is not repeated', async () => {
  const host = await newHost('act')
  host.browser = {
    ...browser,
    as: () => host.browser,
    act: async (action) => {
      dieAfterCommit(host)
      return browser.act(action)
    },
  }
  const act = endpoints.find(({ path }) => path === '/api/browser/action') as Endpoint
  const given = {
    body: { action: 'goto', url: 'http://shop.example/' },
    headers: { 'idempotency-key': 'once' },
  }
  expect((await call(act, host, given)).status).toBe(200)
  await startUp(host, { alone: true })
  const again = await call(act, host, given)
  expect([again.status, (await again.json()).message]).toEqual([409, expect.stringContaining('or may have')])
})
