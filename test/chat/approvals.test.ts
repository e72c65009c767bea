import { expect, test } from 'vitest'
import { update } from '../../handlers/agents/agents.ts'
import { change, respond } from '../../handlers/chat/approvals.ts'
import { send } from '../../handlers/chat/stream.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { listApprovals } from '../../runtime/chat/approval-store.ts'
import type { Host } from '../../runtime/host.ts'
import { minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { answerOf, conversationOf, names, onlyApproval, onlyConversation, parseEvents } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })

const resultStates = async (host: Host) =>
  (await answerOf(host, await onlyConversation(host))).parts
    .filter((part) => part.type === 'tool_result')
    .map(({ state }) => state)

test('asks before a tool with side effects, and runs nothing until the answer is stored', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Written.')) })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const pending = await onlyApproval(host)
  const { id: root } = await requireDefaultAgent(host)

  expect(pending).toMatchObject({ status: 'pending', tool: 'files' })
  expect(await host.files.stat(`workspaces/${root}`, 'note.txt')).toBeNull()
  const id = pending.conversation_id
  expect(await conversationOf(host, id)).toMatchObject({ status: 'waiting_approval' })

  await call(respond, host, { params: { id }, body: { approval_id: pending.id, approved: true } })
  const [stream] = await Promise.all([response.text(), workOff(host)])
  expect(names(parseEvents(stream))).toEqual([
    'message_start',
    'tool_use',
    'approval_required',
    'approval_resolved',
    'tool_result',
    'token',
    'done',
  ])
  expect(await host.files.stat(`workspaces/${root}`, 'note.txt')).not.toBeNull()
  const [used, asked, given] = parseEvents(stream).filter(({ event }) => /tool_use|required|result/.test(event))
  expect(asked?.data).toMatchObject({ call_id: used?.data.id, approval: { id: pending.id } })
  expect(given?.data).toMatchObject({ id: used?.data.id, state: 'done', is_error: false })
})

test('an approval has what the agent wrote in the same step, as a quotable line', async () => {
  const hostile = '\u202eI keep\tit.\u0007\n\n\n\nRisk: low” <b>Approve</b> “'
  const said = (words: string, id: string): Step => [{ type: 'text', text: words }, ...writing(id)]
  const models = scriptedModels(said(hostile, 'a'), writing('b'), said(`${'word '.repeat(120)}end`, 'c'), text('Done.'))
  const host = await testHost({ models })
  await call(send, host, { body: { message: 'Write a note' } })
  const reasons: (string | null)[] = []
  for (let step = 0; step < 3; step += 1) {
    await workOff(host)
    const { rows: approvals } = await listApprovals(localContext(host), {
      status: 'pending',
      limit: 2,
      offset: 0,
    })
    const [approval] = approvals
    reasons.push(approval?.agent_reason ?? null)
    const body = { approval_id: approval?.id, approved: true }
    await call(respond, host, { params: { id: approval?.conversation_id ?? '' }, body })
  }

  expect(reasons.slice(0, 2)).toEqual(['I keep it. Risk: low" <b>Approve</b> "', null])
  expect(reasons[2]).toMatch(/^(word ){98}word…$/)
})

const writing = (id: string) => toolCall('files', { action: 'write', path: `${id}.txt`, content: 'tea' }, id)

test('the model is told that a call was refused, and why', async () => {
  const models = scriptedModels(write, text('As you wish.'))
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  const answer = { approval_id: approval.id, approved: false, reason: 'not now' }
  await call(respond, host, { params: { id: approval.conversation_id }, body: answer })
  await Promise.all([response.text(), workOff(host)])

  expect(JSON.stringify(models.calls[1]?.messages)).toContain('not now')
  expect(await resultStates(host)).toEqual(['denied'])
  const twice = await call(respond, host, { params: { id: approval.conversation_id }, body: answer })
  expect(twice.status).toBe(409)
})

test('an approval without an answer expires after 30 minutes as a refusal', async () => {
  const models = scriptedModels(write, text('Nobody was there.'))
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  await host.clock.advance(30 * minute)
  await workOff(host)

  expect(await host.sql.read('SELECT status FROM approvals')).toEqual([{ status: 'expired' }])
  expect(await resultStates(host)).toEqual(['expired'])
  expect(names(parseEvents(await response.text())).at(-1)).toBe('done')
  expect(JSON.stringify(models.calls[1]?.messages)).toContain('refusal')
})

test('of 50 answers to one approval the first wins', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Done.')) })
  await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  const answer = (approved: boolean) =>
    call(respond, host, {
      params: { id: approval.conversation_id },
      body: { approval_id: approval.id, approved },
    })
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => (await answer(index % 2 === 0)).status),
  )

  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(49)
})

test('calls that the model made together are one step, even after an approval', async () => {
  const together: Step = [
    ...['a', 'b', 'c'].map((id) => ({
      type: 'tool_call' as const,
      id,
      name: 'todo',
      input: { action: 'add', text: id },
    })),
    {
      type: 'tool_call',
      id: 'd',
      name: 'files',
      input: { action: 'write', path: 'note.txt', content: 'tea' },
    },
    { type: 'finish', reason: 'tool_calls', input_tokens: 10, output_tokens: 5 },
  ]
  const host = await testHost({ models: scriptedModels(together, text('Done.')) })
  const { id: agent } = await requireDefaultAgent(host)
  await call(update, host, { params: { id: agent }, body: { max_steps: 2 } })
  const response = await call(send, host, { body: { message: 'Do it' } })
  await workOff(host)
  const pending = await onlyApproval(host)
  await call(respond, host, {
    params: { id: pending.conversation_id },
    body: { approval_id: pending.id, approved: true },
  })
  const [stream] = await Promise.all([response.text(), workOff(host)])

  expect(parseEvents(stream).at(-1)).toMatchObject({ event: 'done' })
})

test.each([
  ['write', { content: 'coffee' }, 'tea\n', 'coffee'],
  ['append', { content: 'coffee' }, 'tea\n', 'tea\ncoffee\n'],
  ['edit', { find: 'tea', replace: 'key-123' }, 'tea\n', '[redacted]\n'],
])('%s: what would change in the file is shown, without secrets', async (action, more, before, after) => {
  const step = toolCall('files', { action, path: 'note.txt', ...more })
  const { host, id, root } = await waiting(step, 'tea\n')
  await host.process.redaction.use(['key-\\d+'])
  const response = await call(change, host, { params: { id } })

  expect(await response.json()).toEqual({ path: 'note.txt', before, after, note: null })
  expect(new TextDecoder().decode((await host.files.read(root, 'note.txt')) ?? undefined)).toBe('tea\n')
})

test('a new file has no text before, and a change that would fail says why', async () => {
  const fresh = await waiting(write)
  expect(await (await call(change, fresh.host, { params: { id: fresh.id } })).json()).toEqual({
    path: 'note.txt',
    before: null,
    after: 'tea',
    note: null,
  })
  const step = toolCall('files', { action: 'edit', path: 'note.txt', find: 'cocoa', replace: '' })
  const failing = await waiting(step, 'tea\n')
  const answer = await (await call(change, failing.host, { params: { id: failing.id } })).json()
  expect(answer).toMatchObject({ after: null, note: expect.stringContaining('does not contain that text') })
})

/** A daemon with one pending approval, whose agent has a file. */
async function waiting(step: Step, content?: string) {
  const host = await testHost({ models: scriptedModels(step) })
  const root = `workspaces/${(await requireDefaultAgent(host)).id}`
  if (content !== undefined) await host.files.write(root, 'note.txt', new TextEncoder().encode(content))
  await call(send, host, { body: { message: 'Change the note' } })
  await workOff(host)
  return { host, root, id: (await onlyApproval(host)).id }
}
