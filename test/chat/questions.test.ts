import { expect, onTestFinished, test, vi } from 'vitest'
import { update as changeAgent } from '../../handlers/agents/agents.ts'
import { respond } from '../../handlers/chat/approvals.ts'
import { send } from '../../handlers/chat/stream.ts'
import { connect, create, update } from '../../handlers/settings/mcp.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { StoreUnreachable } from '../../runtime/ports/sql.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { orderForm, serveAsking } from '../fixtures/mcp/asking.ts'
import { call } from '../support/call.ts'
import { answerOf, names, onlyApproval, onlyConversation, parseEvents } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { testToolServers } from '../support/tool-servers.ts'
import { workOff } from '../support/work.ts'

/** A turn that waits in a call whose server has asked. */
async function asking() {
  const server = await serveAsking({ order: [orderForm] })
  onTestFinished(() => server.close())
  const models = scriptedModels(toolCall('mcp__shop__order', {}), text('Done.'))
  const host = await testHost({ tool_servers: testToolServers(), models })
  const { id } = await (await call(create, host, { body: { name: 'shop', transport: 'http', url: server.url } })).json()
  await call(update, host, { params: { id }, body: { trust: 'read_only' } })
  await call(connect, host, { params: { id } })
  const agent = await requireDefaultAgent(host)
  await call(changeAgent, host, { params: { id: agent.id }, body: { mcp_servers: ['*'] } })
  const response = await call(send, host, { body: { message: 'Order' } })
  const ended = workOff(host)
  const approval = await vi.waitFor(() => onlyApproval(host), { timeout: 60_000 })
  const stream = response.text().then((sent) => names(parseEvents(sent)))
  return { host, approval, ended, stream, server }
}

test('neither the time of the call nor that of the turn passes while a person is asked', async () => {
  const { host, approval, ended, stream, server } = await asking()
  await host.clock.advance(20 * hour)
  const { conversation_id, id: approval_id } = approval
  const body = { approval_id, approved: true, edited_input: { cups: 2 } }
  await call(respond, host, { params: { id: conversation_id }, body })
  await ended
  expect(server.answers).toEqual([{ action: 'accept', content: { cups: 2, hot: false } }])
  expect(await answerOf(host, await onlyConversation(host))).toMatchObject({ status: 'complete', content: 'Done.' })
  expect(await stream).toEqual([
    ...['message_start', 'tool_use', 'approval_required', 'approval_resolved', 'tool_result', 'token', 'done'],
  ])
})

test('a question survives a short loss of the database server', async () => {
  const { host, approval, ended, server } = await asking()
  const { read } = host.sql
  host.sql.read = () => Promise.reject(new StoreUnreachable('The database server cannot be reached'))
  await host.clock.advance(30 * second)
  host.sql.read = read
  const { conversation_id, id: approval_id } = approval
  const body = { approval_id, approved: true, edited_input: { cups: 2 } }
  await call(respond, host, { params: { id: conversation_id }, body })
  await ended
  expect(server.answers).toEqual([{ action: 'accept', content: { cups: 2, hot: false } }])
})

test('an answer is sealed, and forgotten when its call has it', async () => {
  const { host, approval, ended } = await asking()
  const { conversation_id, id: approval_id } = approval
  const body = { approval_id, approved: true, edited_input: { name: 'canary-name', cups: 2 } }
  await call(respond, host, { params: { id: conversation_id }, body })
  await ended
  const rows = await host.sql.read('SELECT * FROM approvals')
  expect(rows).toMatchObject([{ status: 'approved', sealed_answer: null }])
  expect(JSON.stringify(rows)).not.toContain('canary')
})

test('a question that nobody answers in time is cancelled, and the turn continues', async () => {
  const { host, approval, ended, server } = await asking()
  await host.clock.advance(Date.parse(approval.expires_at) - host.clock.now() + minute)
  await workOff(host)
  await ended
  expect(server.answers).toEqual([{ action: 'cancel' }])
  expect(await onlyApproval(host)).toMatchObject({ status: 'expired' })
})
