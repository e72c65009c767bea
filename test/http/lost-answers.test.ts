import { expect, test } from 'vitest'
import { noPackages } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { startUp } from '../../runtime/assemble.ts'
import { ownerOf } from '../../runtime/auth/owner.ts'
import { finishRecording, insertRecording } from '../../runtime/browser/recordings/store.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { StoreUnavailable } from '../../runtime/ports/sql.ts'
import { iso } from '../../runtime/time.ts'
import { type CallOptions, call } from '../support/call.ts'
import { parseEvents } from '../support/chat.ts'
import { endpoints } from '../support/endpoints.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

/**
 * The daemon dies after the commit of a request and before its answer: every POST that creates or starts something
 * gives its repeat the first answer. The cases come from the table of endpoints; one that the tables below do not cover
 * fails.
 */

const title = ({ method, path }: Endpoint) => `${method} ${path}`
/** Endpoints without a body of JSON and those that stream apply the key themselves. */
const own = [
  'POST /api/files',
  'POST /api/chat/messages/stream',
  'POST /api/chat/conversations/{id}/regenerate',
]
const keyed = endpoints.filter(
  (endpoint) =>
    endpoint.method === 'POST' && (endpoint.idempotent !== false || own.includes(title(endpoint))),
)

type Case = Pick<CallOptions, 'body' | 'query'> & { params?: Record<string, string | undefined> }
type Made = Record<string, string>

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
  'POST /api/auth/keys': () => ({ body: { name: 'Script', scopes: ['admin'] } }),
  'POST /api/auth/keys/{id}/rotate': async (make) => ({
    params: { id: (await make('/api/auth/keys', { body: { name: 'Old', scopes: ['admin'] } })).id },
  }),
  'POST /api/browser/recordings/{id}/replay': () => ({ params: { id: 'rec_1' }, body: { wait_seconds: 0 } }),
  'POST /api/browser/screen-recording/from-recording/{recording_id}': () => ({
    params: { recording_id: 'rec_1' },
    body: { wait_seconds: 0 },
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
  'POST /api/chat/messages/inject': async (make) => {
    const { id } = await make('/api/chat/conversations', { body: {} })
    return { body: { conversation_id: id, role: 'user', content: 'x' } }
  },
  'POST /api/chat/messages/stream': () => ({ body: { message: 'Hi' } }),
  'POST /api/chat/welcome': async (make) => ({
    body: { conversation_id: (await make('/api/chat/conversations', { body: {} })).id },
  }),
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
    const body = { ...job, delivery: { channel: 'conversation' } }
    const { id } = await make('/api/scheduler/jobs', { body })
    const { run_id } = await make('/api/scheduler/jobs/{id}/trigger', { params: { id } })
    await workOff(host)
    return { params: { id, run_id } }
  },
  'POST /api/scheduler/jobs/{id}/trigger': async (make) => ({
    params: { id: (await make('/api/scheduler/jobs', { body: job })).id },
  }),
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

/** Requests that set a state, read, or act on what ends with the process. After a lost answer their repeat may be a 409. */
const changing = [
  'POST /api/browser/action',
  'POST /api/browser/auth-states',
  'POST /api/browser/auth-states/{name}/restore',
  'POST /api/browser/close',
  'POST /api/browser/cookies',
  'POST /api/browser/emulation',
  'POST /api/browser/mock',
  'POST /api/browser/profile',
  'POST /api/browser/recording/start',
  'POST /api/browser/recording/stop',
  'POST /api/browser/replays/{id}/cancel',
  'POST /api/browser/tabs',
  'POST /api/chat/conversations/{id}/stop',
  'POST /api/chat/messages/truncate',
  'POST /api/memory/undo',
  'POST /api/projects/batch/delete',
  'POST /api/projects/{id}/approve',
  'POST /api/projects/{id}/audit',
  'POST /api/projects/{id}/cancel',
  'POST /api/projects/{id}/phases',
  'POST /api/projects/{id}/phases/{phase_id}/approve',
  'POST /api/projects/{id}/refine-plan',
  'POST /api/projects/{id}/regenerate-plan',
  'POST /api/projects/{id}/tasks',
  'POST /api/projects/{id}/tasks/{task_id}/answer',
  'POST /api/projects/{id}/tasks/{task_id}/retry',
  'POST /api/projects/{id}/tasks/{task_id}/skip',
  'POST /api/providers/{id}/test',
  'POST /api/scheduler/jobs/{id}/dry-run',
  'POST /api/scheduler/jobs/{id}/runs/{run_id}/cancel',
  'POST /api/scheduler/parse-nl',
  'POST /api/settings/reset',
  'POST /api/settings/security/reset',
  // Without a credential, which the first of them ends: its repeat is refused, and the password signs in.
  'POST /api/setup/admin',
  'POST /api/setup/profile',
  'POST /api/setup/provider',
]

const job = { name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 3600 } }
const skill = '---\nname: greet\ndescription: How to greet\n---\nSay hello.'

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
  const models = name.includes('approval') ? scriptedModels(write) : scriptedModels(text('one'), text('two'))
  const host = await testHost({ models, packages: { ...noPackages, unsupported: null } })
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
  const names = keyed.map(title).filter((name) => !creating[name] && !changing.includes(name))
  expect(names).toEqual([])
})

const cases = keyed.filter((endpoint) => creating[title(endpoint)])

test.each(cases.map((endpoint) => [title(endpoint), endpoint] as const))(
  '%s: the repeat after a lost answer gives it',
  async (name, endpoint) => {
    const host = await newHost(name)
    const given = (await creating[name]?.(maker(host), host)) as CallOptions
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
  },
)
