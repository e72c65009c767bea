import { expect, test } from 'vitest'
import { changes, listChanged, undo } from '../../handlers/chat/changes.ts'
import { setExecutionMode } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { addConversation } from '../../runtime/chat/conversations.ts'
import { NewConversation } from '../../runtime/chat/schema.ts'
import type { Host } from '../../runtime/host.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import { workspaceOf } from '../../runtime/tools/workspace.ts'
import { projectModels } from '../projects/kit.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const answered = ({ messages }: ModelCall) => messages.at(-1)?.role === 'tool'

const write = (path: string, content: string) => toolCall('files', { action: 'write', path, content, overwrite: true })

/** A conversation in which everything runs, with an agent that does what `act` says. */
async function working(act: (asked: string, call: ModelCall) => Step) {
  const models = projectModels((one, asked) => (answered(one) ? text('Done.') : act(asked, one)))
  const host = await testHost({ models })
  await configure(host, ['anthropic'])
  const { id } = await addConversation(localContext(host), NewConversation.parse({}))
  await call(setExecutionMode, host, { params: { id }, body: { execution_mode: 'auto' } })
  const say = async (message: string) => {
    await chat(host, { message, conversation_id: id })
    return (await conversationOf(host, id)).messages.at(-1)?.id ?? ''
  }
  const of = (message_id: string) => ({ params: { id, message_id } })
  return { host, models, id, say, of }
}

async function fileOf(host: Host, path: string) {
  const [agent] = await host.sql.read<{ id: string }>('SELECT id FROM agents LIMIT 1')
  const bytes = await host.files.read(workspaceOf(agent?.id ?? '', ''), path)
  return bytes && new TextDecoder().decode(bytes)
}

test('an answer shows what it changed in files, and is undone; the agent is told', async () => {
  const { host, models, id, say, of } = await working((asked) => write('tea.md', `${asked}\n`))
  const first = await say('Green')
  const second = await say('Black')
  const listed = await (await call(changes, host, of(second))).json()
  expect(listed).toMatchObject({
    count: 1,
    changes: [{ path: 'tea.md', before: 'Green\n', after: 'Black\n', undone: false }],
  })

  const done = await call(undo, host, of(second))
  expect([done.status, await done.json()]).toMatchObject([200, { paths: ['tea.md'] }])
  expect(await fileOf(host, 'tea.md')).toBe('Green\n')
  expect(await (await call(listChanged, host, { params: { id } })).json()).toEqual({
    answers: [
      { message_id: first, files: 1, undone: false },
      { message_id: second, files: 1, undone: true },
    ],
    count: 2,
  })
  expect((await call(undo, host, of(second))).status).toBe(409)

  await call(undo, host, of(first))
  expect(await fileOf(host, 'tea.md')).toBeNull()
  await say('White')
  const told = JSON.stringify(models.calls.at(-2)?.messages)
  expect(told).toContain('The person undid what the last answer had changed, in 1 file.')
  expect(told).toContain('The person undid what an earlier answer had changed, in 1 file.')
})

test('what a helper changed is undone with the answer that called it', async () => {
  const { host, id, say, of } = await working((asked) =>
    asked === 'Please' ? toolCall('delegate', { task: 'Write' }) : write('help.md', 'x'),
  )
  const answer = await say('Please')
  expect(await fileOf(host, 'help.md')).toBe('x')
  const listed = await (await call(listChanged, host, { params: { id } })).json()
  expect(listed.answers).toEqual([{ message_id: answer, files: 1, undone: false }])
  await call(undo, host, of(answer))
  expect(await fileOf(host, 'help.md')).toBeNull()
})

test('what somebody else has changed since stays, and then nothing is undone', async () => {
  const { host, say, of } = await working((asked) => write('tea.md', `${asked}\n`))
  const first = await say('Green')
  await say('Black')
  const refused = await call(undo, host, of(first))
  expect([refused.status, (await refused.json()).message]).toEqual([409, expect.stringContaining('tea.md')])
  expect(await fileOf(host, 'tea.md')).toBe('Black\n')
})

test('an answer of another conversation, a message of the person and a busy conversation are refused', async () => {
  const { host, id, say, of } = await working((asked) => write('tea.md', asked))
  const answer = await say('Green')
  const other = await addConversation(localContext(host), NewConversation.parse({}))
  const question = (await conversationOf(host, id)).messages[0]?.id ?? ''
  expect((await call(changes, host, { params: { id: other.id, message_id: answer } })).status).toBe(404)
  expect((await call(undo, host, of(question))).status).toBe(404)
  await call(setExecutionMode, host, { params: { id }, body: { execution_mode: 'approval_required' } })
  await call(send, host, { body: { message: 'Black', conversation_id: id } })
  await workOff(host)
  expect((await call(undo, host, of(answer))).status).toBe(409)
  expect(await fileOf(host, 'tea.md')).toBe('Green')
})
