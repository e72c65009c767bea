import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval, Conversation, Message } from '../../runtime/chat/schema.ts'
import type { Waiting } from '../../runtime/inbox.ts'
import { type AskingServer, openPage, orderForm, serveAsking } from '../fixtures/mcp/asking.ts'
import { text, toolCall, toolCalls } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'
import { drawn } from '../workflows/kit.ts'

/** Questions of tool servers, from the outside: a real daemon, a scripted vendor and a scripted server. */

const { service, wire } = await wiredService()
const page = 'https://shop.example/sign-in?for=ada'

let server: AskingServer
beforeAll(async () => {
  server = await serveAsking({
    order: [orderForm],
    twice: [orderForm, openPage(page)],
    sign: [openPage(page)],
    trick: [openPage('file:///etc/passwd')],
    reach: [{ method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }, { method: 'roots/list' }],
  })
  const path = '/api/settings/skills/mcp'
  const { id } = await service.read<{ id: string }>('POST', path, { name: 'shop', transport: 'http', url: server.url })
  await service.read('PUT', `${path}/${id}`, { trust: 'read_only' })
  await service.read('POST', `${path}/${id}/connect`)
  const { agents } = await service.read<{ agents: { id: string }[] }>('GET', '/api/agents')
  await service.read('PUT', `/api/agents/${agents[0]?.id}`, { mcp_servers: ['*'] })
})
afterAll(() => server.close())

/** A chat whose agent calls tools, then says that it is done. */
function started(...tools: string[]): Promise<string> {
  wire.script(toolCalls(tools.map((tool) => [`mcp__shop__${tool}`, {}])), text('Done.'))
  return chatOf(tools.join())
}

/** A chat whose only call does not end. */
function startedAlone(tool: string): Promise<string> {
  wire.script(toolCall(`mcp__shop__${tool}`, {}))
  return chatOf(tool)
}

async function chatOf(title: string): Promise<string> {
  const { id } = await service.read<{ id: string }>('POST', '/api/chat/conversations', { title })
  const message = { message: 'Order', conversation_id: id }
  void service.send('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  return id
}

async function pendingIn(id: string): Promise<Approval[]> {
  const path = `/api/chat/approvals?status=pending&conversation_id=${id}`
  return (await service.read<{ approvals: Approval[] }>('GET', path)).approvals
}

const asked = (id: string): Promise<Approval> => eventually(async () => (await pendingIn(id))[0] ?? null)

const respond = (id: string, body: object) =>
  service.send('POST', `/api/chat/conversations/${id}/approval-response`, body)

async function answerIn(id: string): Promise<Message> {
  return eventually(async () => {
    const { messages } = await service.read<{ messages: Message[] }>('GET', `/api/chat/conversations/${id}/messages`)
    return messages.find(({ role, status }) => role === 'assistant' && status !== 'streaming') ?? null
  })
}

const resultsIn = ({ parts }: Message) => parts.filter((part) => part.type === 'tool_result')

/** What the server got in a call that returned it. */
async function gotIn(id: string): Promise<unknown> {
  const [result] = resultsIn(await answerIn(id))
  return JSON.parse(String((result?.output as { text?: string } | undefined)?.text))
}

test('a form is answered in the list of approvals, and the call continues with what fits the form', async () => {
  const id = await started('order')
  const approval = await asked(id)
  expect(server.capabilities[0]).toMatchObject({ elicitation: { form: {}, url: {} } })
  expect(approval).toMatchObject({
    tool: 'mcp__shop__order',
    summary: 'shop asks: Which tea?',
    question: {
      from: 'shop',
      message: 'Which tea?',
      url: null,
      schema: {
        properties: { tea: { enum: ['a', 's'], labels: { a: 'Assam', s: 'Sencha' } } },
        required: ['cups', 'hot'],
      },
    },
  })
  expect(await service.read<Conversation>('GET', `/api/chat/conversations/${id}`)).toMatchObject({
    status: 'waiting_approval',
  })
  const { items } = await service.read<{ items: Waiting[] }>('GET', '/api/inbox')
  expect(items).toContainEqual(
    expect.objectContaining({ kind: 'approval', id: approval.id, title: 'shop asks: Which tea?', href: `/chat/${id}` }),
  )

  const approval_id = approval.id
  const wrong = { name: 'A', mail: 'nobody', cups: 12, tea: 'Assam', extras: ['milk', 'sugar'] }
  const refused = await respond(id, { approval_id, approved: true, edited_input: wrong })
  expect(refused.status).toBe(422)
  const { issues } = (await refused.json()) as { issues: { path: string }[] }
  const fields = ['name', 'mail', 'cups', 'tea', 'extras']
  expect(issues.map((issue) => issue.path)).toEqual(fields.map((field) => `edited_input.${field}`))
  expect(await pendingIn(id)).toHaveLength(1)

  const good = { name: 'Ada', mail: '', cups: 2, tea: 's', more: 'unasked' }
  expect((await respond(id, { approval_id, approved: true, edited_input: good })).status).toBe(200)
  expect((await respond(id, { approval_id, approved: true, edited_input: good })).status).toBe(409)
  expect(await gotIn(id)).toEqual([{ action: 'accept', content: { name: 'Ada', cups: 2, tea: 's', hot: false } }])
  expect(await answerIn(id)).toMatchObject({ status: 'complete', content: 'Done.' })
})

test.each([
  ['declined', { approved: false }, 'decline', 'rejected'],
  ['dismissed', { approved: false, dismissed: true }, 'cancel', 'cancelled'],
])('a question that is %s ends without content', async (_, answer, action, status) => {
  const id = await started('order')
  const { id: approval_id } = await asked(id)
  const { approval } = (await (await respond(id, { approval_id, ...answer })).json()) as { approval: Approval }
  expect(approval.status).toBe(status)
  expect(await gotIn(id)).toEqual([{ action }])
})

test('a page is shown with its address, and opening it is all that the server is told', async () => {
  const id = await started('sign')
  const { id: approval_id, question } = await asked(id)
  expect(question).toEqual({ from: 'shop', message: 'Sign in there', schema: null, url: page })
  await respond(id, { approval_id, approved: true, edited_input: { secret: 'x' } })
  expect(await gotIn(id)).toEqual([{ action: 'accept' }])
})

test('the questions of a call are asked one after the other', async () => {
  const id = await started('twice')
  const first = await asked(id)
  expect(await pendingIn(id)).toHaveLength(1)
  await respond(id, { approval_id: first.id, approved: false })
  const second = await eventually(async () => (await pendingIn(id)).find((one) => one.id !== first.id) ?? null)
  await respond(id, { approval_id: second.id, approved: true, edited_input: { cups: 1 } })
  const got = (await gotIn(id)) as { action: string }[]
  expect(got.map(({ action }) => action).sort()).toEqual(['accept', 'decline'])
})

test('calls in flight at once each get the answer to their own question', async () => {
  const id = await started('order', 'sign')
  const questions = await eventually(async () => {
    const pending = await pendingIn(id)
    return pending.length === 2 ? pending : null
  })
  for (const { id: approval_id, question } of questions)
    await respond(id, { approval_id, approved: true, ...(question?.schema && { edited_input: { cups: 3 } }) })
  const results = resultsIn(await answerIn(id)).map(({ tool, output }) => [
    tool,
    JSON.parse((output as { text: string }).text),
  ])
  expect(Object.fromEntries(results)).toEqual({
    mcp__shop__order: [{ action: 'accept', content: { cups: 3, hot: false } }],
    mcp__shop__sign: [{ action: 'accept' }],
  })
})

test('what is no web page, and requests for a model or for folders, get the error of the protocol', async () => {
  expect(await gotIn(await started('trick'))).toMatchObject([{ code: -32602 }])
  expect(await gotIn(await started('reach'))).toMatchObject([{ code: -32601 }, { code: -32601 }])
})

test('a stopped turn closes its question and cancels its call', async () => {
  const id = await startedAlone('order')
  const { id: approval_id } = await asked(id)
  server.cancelled.length = 0
  await service.read('POST', `/api/chat/conversations/${id}/stop`, {})
  expect(await answerIn(id)).toMatchObject({ status: 'interrupted', error: { code: 'cancelled' } })
  expect(await pendingIn(id)).toEqual([])
  await eventually(async () => server.cancelled.includes('order') || null)
  expect((await respond(id, { approval_id, approved: true, edited_input: { cups: 1 } })).status).toBe(409)
})

test('a question that its server withdraws is closed, and the call continues', async () => {
  const id = await started('order')
  await asked(id)
  server.withdraw('order')
  await answerIn(id)
  expect(await pendingIn(id)).toEqual([])
})

/** What starts an agent that nobody watches, whose only call asks. */
const unattended = {
  async job() {
    const job = { name: 'Tea', goal: 'Order', schedule: { type: 'every', interval: 86_400 } }
    const { id } = await service.read<{ id: string }>('POST', '/api/scheduler/jobs', job)
    await service.read('POST', `/api/scheduler/jobs/${id}/trigger`, {})
  },
  async workflow() {
    const nodes = { go: { type: 'trigger.manual' }, order: { type: 'agent', params: { prompt: 'Order' } } }
    const { id } = await service.read<{ id: string }>('POST', '/api/workflows', drawn(nodes, ['go → order']))
    await service.read('POST', `/api/workflows/${id}/execute`, {})
  },
}

/** The question, and its conversation. */
async function askedBy(
  start: () => Promise<void>,
  others: readonly string[] = [],
): Promise<{ conversation: string; approval_id: string }> {
  wire.script(toolCall('mcp__shop__order', {}))
  await start()
  const waiting = await eventually(async () => {
    const { items } = await service.read<{ items: Waiting[] }>('GET', '/api/inbox')
    return items.find(({ id, title }) => title === 'shop asks: Which tea?' && !others.includes(id)) ?? null
  })
  return { conversation: waiting.href.split('/').at(-1) ?? '', approval_id: waiting.id }
}

test.each(Object.entries(unattended))('a %s is asked in the inbox', async (_, start) => {
  const { conversation, approval_id } = await askedBy(start)
  await respond(conversation, { approval_id, approved: true, edited_input: { cups: 4 } })
  expect(await gotIn(conversation)).toEqual([{ action: 'accept', content: { cups: 4, hot: false } }])
  expect(await answerIn(conversation)).toMatchObject({ status: 'complete' })
})

/** After a restart: nothing waits, nothing is answered any more, and the call may have taken effect. */
async function expectClosed(id: string, approval_id: string): Promise<void> {
  const message = await answerIn(id)
  expect(message).toMatchObject({ status: 'interrupted', error: { code: 'interrupted' } })
  expect(message.parts).toContainEqual(expect.objectContaining({ type: 'tool_use', state: 'unknown' }))
  expect(await pendingIn(id)).toEqual([])
  expect((await respond(id, { approval_id, approved: true, edited_input: { cups: 1 } })).status).toBe(409)
  const { items } = await service.read<{ items: Waiting[] }>('GET', '/api/inbox')
  expect(items.map((item) => item.id)).not.toContain(approval_id)
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s closes the questions of chats and jobs, and marks their calls',
  async (signal) => {
    const id = await startedAlone('order')
    const { id: approval_id } = await asked(id)
    const job = await askedBy(unattended.job, [approval_id])
    await service.end(signal)
    await service.restart()
    await expectClosed(id, approval_id)
    await expectClosed(job.conversation, job.approval_id)
  },
)
