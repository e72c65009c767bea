import { expect, test } from 'vitest'
import * as pairings from '../../handlers/channels/pairings.ts'
import { respond } from '../../handlers/chat/approvals.ts'
import { send } from '../../handlers/chat/stream.ts'
import * as devices from '../../handlers/devices/devices.ts'
import * as control from '../../handlers/loops/control.ts'
import { inbox } from '../../handlers/system/inbox.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import type { Host } from '../../runtime/host.ts'
import type { Waiting } from '../../runtime/inbox.ts'
import { bob, channelHost, deliver, message, pairingsOf } from '../channels/kit.ts'
import { paired } from '../devices/kit.ts'
import { loopHost, ran as ranLoop } from '../loops/kit.ts'
import { approved, plannedProject, planStep, projectHost } from '../projects/kit.ts'
import { call } from '../support/call.ts'
import { onlyApproval } from '../support/chat.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { drawn, ran as ranWorkflow } from '../workflows/kit.ts'

const inboxOf = async (host: Host, caller = adminCaller): Promise<{ items: Waiting[]; total: number }> =>
  (await call(inbox, host, { caller })).json()

/** Checks that this waits for its owner and for nobody else, and no more after the answer. */
async function answeredBy(host: Host, waiting: Partial<Waiting>, answer: () => Promise<unknown>) {
  expect(await inboxOf(host)).toMatchObject({ total: 1, items: [waiting] })
  expect(await inboxOf(host, { ...adminCaller, user_id: 'somebody-else' })).toEqual({ items: [], total: 0 })
  await answer()
  await workOff(host)
  expect(await inboxOf(host)).toEqual({ items: [], total: 0 })
}

test('an action of an agent waits for approval', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const host = await testHost({ models: scriptedModels(write, text('Written.')) })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const { id: approval_id, conversation_id, summary } = await onlyApproval(host)
  const waiting = {
    kind: 'approval',
    id: approval_id,
    title: summary,
    href: `/chat/${conversation_id}`,
  } as const
  await answeredBy(host, waiting, () =>
    call(respond, host, { params: { id: conversation_id }, body: { approval_id, approved: true } }),
  )
  await response.text()
})

test('a plan waits for approval', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'Collect kinds of tea' } }))
  const { id } = await plannedProject(host)
  const waiting = { kind: 'plan', id, title: 'Tea guide', detail: 'Plan ready to approve' } as const
  await answeredBy(host, waiting, () => approved(host, id))
})

test('the question of a loop waits for an answer', async () => {
  const { host } = await loopHost([], ({ messages }) =>
    JSON.stringify(messages).includes('Oolong') ? undefined : toolCall('ask_user', { question: 'Which tea?' }),
  )
  const { id, name } = await ranLoop(host)
  const waiting = { kind: 'loop', id, title: name, detail: 'Which tea?', href: `/loops/${id}` } as const
  await answeredBy(host, waiting, () => call(control.answer, host, { params: { id }, body: { answer: 'Oolong' } }))
})

test('each question of an execution waits for an answer; a delay does not', async () => {
  const host = await testHost()
  const nodes = {
    start: { type: 'trigger.manual' },
    all: { type: 'parallel' },
    ask: { type: 'approval', params: { message: 'Send it?' } },
    also: { type: 'approval', params: { message: 'Print it?' } },
    later: { type: 'delay', params: { seconds: 3_600 } },
  }
  const arrows = ['start → all', 'all → ask,also,later']
  const { id, workflow_id, waiting_for } = await ranWorkflow(host, drawn(nodes, arrows, { name: 'Post' }))
  const href = `/workflows/${workflow_id}?execution=${id}`
  const { items } = await inboxOf(host)
  expect(items.map(({ detail }) => detail).sort()).toEqual(['Print it?', 'Send it?'])
  const [first, last] = waiting_for.filter(({ kind }) => kind === 'approval')
  const answer = (token?: number) =>
    call(executions.answer, host, { params: { id }, body: { token, choice: 'Approve' } })
  await answer(first?.token)
  await workOff(host)
  const waiting = { kind: 'workflow', id, title: 'Post', detail: last?.message ?? '', href } as const
  await answeredBy(host, waiting, () => answer(last?.token))
})

test('new risky commands of a device wait until they are approved or declined', async () => {
  const host = await testHost()
  const { device_id: id } = await paired(host, { capabilities: ['notify', 'coffee.make'] })
  const waiting = { kind: 'device', id, title: 'Laptop', detail: 'Offers coffee.make' } as const
  await answeredBy(host, waiting, () =>
    call(devices.update, host, { params: { id }, body: { allowed_commands: ['notify'] } }),
  )
  const { device_id } = await paired(host, { name: 'Phone', capabilities: ['open_url'] })
  expect((await inboxOf(host)).items).toMatchObject([{ title: 'Phone', detail: 'Offers Open a page' }])
  await call(devices.remove, host, { params: { id: device_id } })
  expect((await inboxOf(host)).total).toBe(0)
})

test('a stranger waits to be paired', async () => {
  const kit = await channelHost()
  await deliver(kit, message({ sender: bob }))
  const id = (await pairingsOf(kit.host))[0]?.id ?? ''
  const waiting = { kind: 'pairing', id, title: 'Bob', detail: 'Asks to write to Messenger' } as const
  await answeredBy(kit.host, waiting, () => call(pairings.deny, kit.host, { params: { id }, body: {} }))
})
