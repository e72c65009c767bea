import { beforeEach, describe, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { registerUser } from '../../runtime/auth/users.ts'
import { day } from '../../runtime/time.ts'
import { type CallOptions, call } from '../support/call.ts'
import { endpoints } from '../support/endpoints.ts'
import { adminCaller, setUpAdmin, testHost } from '../support/host.ts'
import { type ScriptedModels, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

let host: MemoryHost
let models: ScriptedModels
let people: Record<'ann' | 'ben' | 'cleo' | 'admin', Caller>
type Who = keyof typeof people

beforeEach(async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'x' })
  models = scriptedModels(text('one'), write, text('three'))
  host = await testHost({ models })
  const { user } = await setUpAdmin(host)
  const join = async (username: string): Promise<Caller> => {
    const { id } = await registerUser(localContext(host), {
      username,
      password: 'ten characters',
      role: 'user',
    })
    return { ...adminCaller, user_id: id, role: 'user', scopes: ['read', 'write', 'approve'] }
  }
  const admin: Caller = { ...adminCaller, user_id: user.id, role: 'admin' }
  people = { admin, ann: await join('ann'), ben: await join('ben'), cleo: await join('cleo') }
})

const id = (who: Who) => people[who].user_id ?? ''

async function ask(who: Who, title: string, options: Pick<CallOptions, 'params' | 'query' | 'body'> = {}) {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === title)
  if (!endpoint) throw new Error(`there is no ${title}`)
  const response = await call(endpoint, host, { ...options, caller: people[who] })
  if (!response.headers.get('content-type')?.includes('json')) return { status: response.status, body: {} }
  return { status: response.status, body: await response.json() }
}

describe('a link to a conversation', () => {
  const linked = async () => {
    const { body } = await ask('ann', 'POST /api/chat/conversations', { body: { title: 'Trip' } })
    const conversation_id = body.id
    await ask('ann', 'POST /api/chat/messages/stream', { body: { conversation_id, message: 'Where to?' } })
    await workOff(host)
    const link = await ask('ann', 'POST /api/chat/links', { body: { conversation_id, days: 2 } })
    return { conversation_id, id: link.body.id, token: String(link.body.secret).split('#')[1] ?? '' }
  }
  const open = (token: string) => ask('ben', 'POST /api/chat/shared', { body: { token } })

  test('shows whose it is and what was said, and stores no token', async () => {
    const { token } = await linked()
    expect((await open(token)).body).toEqual({
      title: 'Trip',
      owner: 'ann',
      messages: [
        expect.objectContaining({ role: 'user', text: 'Where to?' }),
        expect.objectContaining({ role: 'assistant', text: 'one' }),
      ],
    })
    expect(JSON.stringify(await host.sql.read('SELECT * FROM conversation_links'))).not.toContain(token)
  })

  test('opens nothing once it is revoked, has expired or its conversation is deleted', async () => {
    const refused = await open('wrong')
    expect(refused.status).toBe(404)
    const revoked = await linked()
    await ask('ann', 'DELETE /api/chat/links/{id}', { params: { id: revoked.id } })
    expect(await open(revoked.token)).toEqual(refused)
    const deleted = await linked()
    await ask('ann', 'DELETE /api/chat/conversations/{id}', { params: { id: deleted.conversation_id } })
    expect(await open(deleted.token)).toEqual(refused)
    const expired = await linked()
    await host.clock.advance(3 * day)
    expect(await open(expired.token)).toEqual(refused)
  })

  test('is made, seen and revoked by the owner of the conversation alone', async () => {
    const { conversation_id, id: link } = await linked()
    const params = { id: conversation_id }
    await ask('ann', 'PUT /api/chat/conversations/{id}', { params, body: { shared_with: [id('ben')] } })
    expect((await ask('ben', 'POST /api/chat/links', { body: { conversation_id } })).status).toBe(403)
    expect((await ask('ben', 'GET /api/chat/links')).body.total).toBe(0)
    expect((await ask('ben', 'DELETE /api/chat/links/{id}', { params: { id: link } })).status).toBe(404)
  })
})

describe('a shared conversation', () => {
  const one = '/api/chat/conversations/{id}'
  let params: { id: string }
  const share = (shared_with: string[]) => ask('ann', `PUT ${one}`, { params, body: { shared_with } })
  const seenBy = async (who: Who) => [
    (await ask(who, `GET ${one}`, { params })).status,
    (await ask(who, 'GET /api/chat/conversations')).body.total,
  ]
  const say = async (who: Who, message: string) => {
    const body = { conversation_id: params.id, message }
    const { status } = await ask(who, 'POST /api/chat/messages/stream', { body })
    await workOff(host)
    return status
  }

  beforeEach(async () => {
    params = { id: (await ask('ann', 'POST /api/chat/conversations', { body: { title: 'Trip' } })).body.id }
  })

  test('says whose it is to the others', async () => {
    await share([id('ben')])
    expect((await ask('ben', `GET ${one}`, { params })).body.owner_name).toBe('ann')
    expect((await ask('ann', `GET ${one}`, { params })).body.owner_name).toBe(null)
  })

  test('is seen by the named users only, and by nobody once it is not shared any more', async () => {
    expect([await seenBy('ben'), await seenBy('cleo')]).toEqual([
      [404, 0],
      [404, 0],
    ])
    expect((await share([id('ben'), id('ann')])).body.shared_with).toEqual([id('ben')])
    expect([await seenBy('ben'), await seenBy('cleo')]).toEqual([
      [200, 1],
      [404, 0],
    ])
    await share(['everyone'])
    expect([await seenBy('ben'), await seenBy('cleo')]).toEqual([
      [200, 1],
      [200, 1],
    ])
    await share([])
    expect([await seenBy('ben'), await seenBy('cleo')]).toEqual([
      [404, 0],
      [404, 0],
    ])
    expect(await seenBy('ann')).toEqual([200, 1])
  })

  test('can be written in; what another person says is external text for its owner', async () => {
    await share([id('ben')])
    expect(await say('cleo', 'Hi')).toBe(422)
    expect(await say('ben', 'I am Ben')).toBe(200)
    const { messages } = (await ask('ann', `GET ${one}/messages`, { params })).body
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(['I am Ben', 'one'])
    const rows = await host.sql.read('SELECT tainted FROM conversations')
    expect(rows).toEqual([{ tainted: 1 }])
    // The turn works for the person who asked: with their memory and their things.
    const work = await host.sql.read(`SELECT owner_id FROM work WHERE kind = 'chat.turn'`)
    expect(work).toEqual([{ owner_id: id('ben') }])
  })

  test('is found by its words, by those who may read it', async () => {
    const found = async (who: Who) => [
      (await ask(who, 'GET /api/chat/search', { query: { q: 'harbour' } })).body.total,
      (await ask(who, 'GET /api/chat/conversations', { query: { search: 'Trip' } })).body.total,
    ]
    await say('ann', 'Where is the harbour?')
    await share([id('ben')])
    expect([await found('ann'), await found('ben'), await found('cleo')]).toEqual([
      [1, 1],
      [1, 1],
      [0, 0],
    ])
    await share([])
    expect(await found('ben')).toEqual([0, 0])
  })

  test('its files are read by those who may read it, and by the model of each', async () => {
    const upload = async (who: Who, name: string) => {
      const body = new FormData()
      body.set('file', new File([`the text of ${name}`], name))
      return (await ask(who, 'POST /api/files', { body })).body.id as string
    }
    const attach = async (who: Who, file: string) => {
      const body = { conversation_id: params.id, role: 'user', content: 'Look', attachments: [file] }
      expect((await ask(who, 'POST /api/chat/messages/inject', { body })).status).toBe(201)
    }
    const files = [await upload('ann', 'ann.txt'), await upload('ben', 'ben.txt')] as const
    await share([id('ben')])
    await attach('ann', files[0])
    await attach('ben', files[1])
    const seen = (who: Who) =>
      Promise.all(files.map(async (file) => (await ask(who, 'GET /api/files/{id}', { params: { id: file } })).status))
    expect([await seen('ann'), await seen('ben'), await seen('cleo')]).toEqual([
      [200, 200],
      [200, 200],
      [404, 404],
    ])
    expect((await ask('ben', 'DELETE /api/files/{id}', { params: { id: files[0] } })).status).toBe(404)

    await say('ben', 'What do they say?')
    const [asked] = models.calls
    const files_read = asked?.messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === 'file' ? [new TextDecoder().decode(part.data)] : [])),
    )
    expect(files_read).toEqual(['the text of ann.txt', 'the text of ben.txt'])

    await share([])
    expect(await seen('ben')).toEqual([404, 200])
  })

  test('its owner is told of a message', async () => {
    await share([id('ben')])
    await say('ben', 'I am Ben')
    const events = await host.sql.read(
      `SELECT count(*) AS count FROM events WHERE type = 'conversation.updated' AND owner_id = ? AND data LIKE ?`,
      [id('ann'), `%${params.id}%`],
    )
    expect(events[0]?.count).toBeGreaterThan(1)
  })

  test('its settings, its approvals and its end are those of its owner', async () => {
    await share([id('ben')])
    await say('ann', 'Hi')
    await say('ann', 'Write it')
    const { approvals } = (await ask('ann', 'GET /api/chat/approvals')).body
    expect((await ask('ben', 'GET /api/chat/approvals')).body.total).toBe(0)
    const answer = { approval_id: approvals[0].id, approved: true }
    const refused = [
      await ask('ben', `PUT ${one}`, { params, body: { shared_with: ['everyone'] } }),
      await ask('ben', `PUT ${one}/execution-mode`, { params, body: { execution_mode: 'auto' } }),
      await ask('ben', `PATCH ${one}/mode`, { params, body: { mode: 'chat' } }),
      await ask('ben', 'POST /api/chat/messages/truncate', {
        body: { conversation_id: params.id, keep_last: 0 },
      }),
      await ask('ben', `POST ${one}/approval-response`, { params, body: answer }),
      await ask('ben', `DELETE ${one}`, { params }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    expect((await ask('ann', `POST ${one}/approval-response`, { params, body: answer })).status).toBe(200)
  })

  test('names users who exist', async () => {
    expect((await share(['user_x'])).status).toBe(422)
  })
})

describe('a shared loop', () => {
  const one = '/api/loops/{id}'

  test('is seen by the named users only; its owner alone changes it', async () => {
    const params = { id: (await ask('ann', 'POST /api/loops', { body: { goal: 'Trip' } })).body.id }
    const share = (shared_with: string[]) => ask('ann', `PUT ${one}`, { params, body: { shared_with } })
    const seenBy = async (who: Who) => [
      (await ask(who, 'GET /api/loops')).body.total,
      (await ask(who, `GET ${one}`, { params })).status,
      (await ask(who, `GET ${one}/runs`, { params })).status,
    ]
    expect(await seenBy('ben')).toEqual([0, 404, 404])
    expect((await share(['user_x'])).status).toBe(422)
    expect((await share([id('ben'), id('ann')])).body.shared_with).toEqual([id('ben')])
    expect([await seenBy('ben'), await seenBy('cleo')]).toEqual([
      [1, 200, 200],
      [0, 404, 404],
    ])
    const refused = [
      await ask('ben', `PUT ${one}`, { params, body: { shared_with: ['everyone'] } }),
      await ask('ben', `POST ${one}/start`, { params }),
      await ask('ben', `POST ${one}/steer`, { params, body: { instruction: 'x' } }),
      await ask('ben', `POST ${one}/answer`, { params, body: { answer: 'x' } }),
      await ask('ben', `DELETE ${one}`, { params }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    await share([])
    expect(await seenBy('ben')).toEqual([0, 404, 404])
  })
})

describe('a shared project', () => {
  const one = '/api/projects/{id}'

  test('is seen by the named users only; its owner alone changes it', async () => {
    const params = { id: (await ask('ann', 'POST /api/projects', { body: { name: 'Trip' } })).body.id }
    const share = (shared_with: string[]) => ask('ann', `PUT ${one}`, { params, body: { shared_with } })
    const reads = ['', '/plans', '/phases', '/tasks', '/dag', '/metrics', '/output-files', '/audit', '/download']
    const seenBy = async (who: Who) => [
      (await ask(who, 'GET /api/projects')).body.total,
      ...new Set(await Promise.all(reads.map(async (at) => (await ask(who, `GET ${one}${at}`, { params })).status))),
    ]
    expect(await seenBy('ben')).toEqual([0, 404])
    expect((await share(['user_x'])).status).toBe(422)
    expect((await share([id('ben'), id('ann')])).body.shared_with).toEqual([id('ben')])
    expect([await seenBy('ben'), await seenBy('cleo'), await seenBy('ann')]).toEqual([
      [1, 200],
      [0, 404],
      [1, 200],
    ])
    const refused = [
      await ask('ben', `PUT ${one}`, { params, body: { shared_with: ['everyone'] } }),
      await ask('ben', `POST ${one}/generate-plan`, { params }),
      await ask('ben', `POST ${one}/approve`, { params }),
      await ask('ben', `POST ${one}/cancel`, { params }),
      await ask('ben', `POST ${one}/phases`, { params, body: { name: 'x' } }),
      await ask('ben', `POST ${one}/audit`, { params, body: {} }),
      await ask('ben', `DELETE ${one}`, { params }),
    ]
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403))
    const copy = await ask('ben', `POST ${one}/duplicate`, { params })
    expect(copy.body).toMatchObject({ owner_id: id('ben'), shared_with: [] })
    await share([])
    expect(await seenBy('ben')).toEqual([1, 404])
  })
})

describe('an agent for named users', () => {
  let agent: string
  const create = (body: object) => ask('admin', 'POST /api/agents', { body: { name: 'Cook', ...body } })

  beforeEach(async () => {
    agent = (await create({ users: [id('ann')] })).body.id
  })

  const job = () => ({ name: 'x', goal: 'x', schedule: { type: 'every', interval: 3600 }, agent_id: agent })
  const choices: [string, () => object, number][] = [
    ['POST /api/chat/conversations', () => ({ agent_id: agent }), 201],
    ['POST /api/chat/messages/stream', () => ({ message: 'Hi', agent_id: agent }), 200],
    ['POST /api/chat/welcome', () => ({ agent_id: agent }), 200],
    ['POST /api/memory/episodes', () => ({ content: 'x', agent_id: agent }), 201],
    ['POST /api/scheduler/jobs', job, 201],
    ['POST /api/projects', () => ({ name: 'x', agent_id: agent }), 201],
  ]

  test.each(choices)('%s', async (title, body, status) => {
    expect((await ask('ann', title, { body: body() })).status).toBe(status)
    await workOff(host)
    expect((await ask('ben', title, { body: body() })).status).toBe(422)
  })

  test('is not shown to others, but to administrators', async () => {
    const seen = async (who: Who) => [
      (await ask(who, 'GET /api/agents')).body.count,
      (await ask(who, 'GET /api/agents/{id}', { params: { id: agent } })).status,
    ]
    expect([await seen('ann'), await seen('ben'), await seen('admin')]).toEqual([
      [2, 200],
      [1, 404],
      [2, 200],
    ])
  })

  test('does not answer in a conversation of which it is the agent any more', async () => {
    const { id: conversation_id } = (await ask('ann', 'POST /api/chat/conversations', { body: { agent_id: agent } }))
      .body
    const params = { id: agent }
    await ask('admin', 'PUT /api/agents/{id}', { params, body: { users: [id('ben')] } })
    const body = { conversation_id, message: 'Hi' }
    expect((await ask('ann', 'POST /api/chat/messages/stream', { body })).status).toBe(409)
  })

  test('names users who exist, and the default agent is for everyone', async () => {
    expect((await create({ users: ['user_x'] })).status).toBe(422)
    expect((await create({ users: [id('ann')], is_default: true })).status).toBe(422)
    const params = { id: agent }
    expect((await ask('admin', 'PUT /api/agents/{id}', { params, body: { is_default: true } })).status).toBe(422)
  })
})
