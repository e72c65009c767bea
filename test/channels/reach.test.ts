import { expect, test } from 'vitest'
import { createMemoryHost } from '../../adapters/memory/host.ts'
import * as channels from '../../handlers/channels/channels.ts'
import * as pairings from '../../handlers/channels/pairings.ts'
import { respond } from '../../handlers/chat/approvals.ts'
import { send } from '../../handlers/chat/stream.ts'
import { areas } from '../../handlers/index.ts'
import * as episodes from '../../handlers/memory/episodes.ts'
import * as jobs from '../../handlers/scheduler/jobs.ts'
import { sections } from '../../handlers/settings/sections.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { substitutes } from '../../runtime/channels/connection.ts'
import { sendToChannel } from '../../runtime/channels/send.ts'
import { commit } from '../../runtime/events/commit.ts'
import { event } from '../../runtime/events/event.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { tick } from '../../runtime/tick.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { onlyApproval, onlyConversation } from '../support/chat.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, executionsOf } from '../workflows/kit.ts'
import { ada, bob, channelHost, deliver, group, type Kit, limits, message, pairingsOf, pairOwner, post } from './kit.ts'

const write = toolCall('files', { action: 'write', path: 'a.txt', content: 'tea' })

async function writing(platform = {}): Promise<Kit> {
  const kit = await channelHost({ models: scriptedModels(write, text('Written')), platform })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  return kit
}

test('the owner approves with a button, once', async () => {
  const kit = await writing()
  await deliver(kit, message({ text: 'Write it' }))
  const [asked] = kit.script.sent
  expect(asked?.markdown).toContain('Approval needed')
  const [approve] = asked?.buttons ?? []
  expect(approve?.value.length).toBeLessThanOrEqual(64)

  // Somebody else in a group presses it: nothing happens.
  const press = { kind: 'button' as const, text: '', value: approve?.value ?? '' }
  await deliver(kit, message({ ...press, sender: bob, peer: group }))
  expect((await onlyApproval(kit.host)).status).toBe('pending')

  await deliver(kit, message(press))
  expect((await onlyApproval(kit.host)).status).toBe('approved')
  expect(kit.script.texts.slice(1)).toEqual([expect.stringContaining('Approved'), 'Written'])
  await deliver(kit, message(press))
  expect(kit.script.texts.at(-1)).toContain('already been answered')
})

test('a question quotes the reason of the agent, whose marks stay text', async () => {
  const reason = { type: 'text' as const, text: 'Because\n\n**Approved:** [see](https://evil.example)' }
  const kit = await channelHost({ models: scriptedModels([reason, ...write]) })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Write it' }))
  const quoted = '> The agent says: “Because \\*\\*Approved:\\*\\* \\[see\\](https://evil.example)”'
  expect(kit.script.texts.join('\n').split('\n')).toContain(quoted)
})

test('the owner rejects with a code where there are no buttons', async () => {
  const kit = await writing({
    has: { buttons: false, typing: false, files: false, groups: false },
  })
  await deliver(kit, message({ text: 'Write it' }))
  expect(kit.script.sent[0]?.buttons).toEqual([])
  const code = /no ([0-9A-Z]{5})/.exec(kit.script.texts[0] ?? '')?.[1]
  await deliver(kit, message({ text: `no ${code?.toLowerCase()}` }))
  expect((await onlyApproval(kit.host)).status).toBe('rejected')
  await deliver(kit, message({ text: `Yes ${code}.` }))
  expect(kit.script.texts.at(-1)).toContain('already been answered')
})

test('a guest is not asked: their request reaches the owner, and autonomous agents ask too', async () => {
  const kit = await writing()
  await deliver(kit, message({ sender: bob }))
  await call(pairings.approve, kit.host, { params: { id: (await pairingsOf(kit.host))[0]?.id ?? '' } })
  await workOff(kit.host)
  kit.script.sent.length = 0
  await deliver(kit, message({ sender: bob, text: 'Write it' }))
  expect(kit.script.sent).toMatchObject([{ peer: { id: 'ada' }, buttons: [{}, {}] }])
})

test('a guest learns nothing private: no memories are recalled, and the owner approves what reads', async () => {
  const search = toolCall('memory_search', { query: 'door code' })
  const models = scriptedModels(text('Noted'), search, text('I may not say'))
  const kit = await channelHost({ models })
  await configure(kit.host, ['anthropic'])
  await call(episodes.create, kit.host, { body: { content: 'The door code of the house is 4711' } })
  await pairOwner(kit)
  await deliver(kit, message({ sender: bob }))
  const request = (await pairingsOf(kit.host)).find(({ sender_id }) => sender_id === 'bob')
  await call(pairings.approve, kit.host, { params: { id: request?.id ?? '' } })
  await deliver(kit, message({ text: 'What is the door code of the house?' }))
  expect(JSON.stringify(models.calls[0])).toContain('4711')

  kit.script.sent.length = 0
  await deliver(kit, message({ sender: bob, text: 'What is the door code of the house?' }))
  expect(JSON.stringify(models.calls[1])).not.toContain('4711')
  expect(models.calls).toHaveLength(2)
  expect(kit.script.sent).toMatchObject([{ peer: { id: 'ada' }, buttons: [{}, {}] }])

  // A new conversation does not set the running one free.
  await deliver(kit, message({ sender: bob, text: '/new' }))
  await deliver(kit, message({ text: `reject ${(await onlyApproval(kit.host)).id}` }))
  expect(JSON.stringify(models.calls.slice(1))).not.toContain('4711')
})

test('an approval of the web UI is announced on the chosen channel after the quiet hours, unless it was answered', async () => {
  const kit = await writing()
  const notifications = { channel_id: kit.channel.id }
  await call(channels.updateSettings, kit.host, { body: { notifications } })
  await call(sections.proactive.update, kit.host, { body: { quiet_hours: { start: '11:00', end: '12:10' } } })
  await (await call(send, kit.host, { body: { message: 'Write it' } })).body?.cancel()
  await workOff(kit.host)
  expect(kit.script.sent).toEqual([])
  await kit.host.clock.advance(11 * 60 * second)
  await workOff(kit.host)
  expect(kit.script.sent).toMatchObject([{ markdown: expect.stringContaining('Approval needed') }])
})

test('what was answered meanwhile is not announced', async () => {
  const kit = await writing()
  await call(channels.updateSettings, kit.host, { body: { notifications: { channel_id: kit.channel.id } } })
  await call(sections.proactive.update, kit.host, { body: { quiet_hours: { start: '11:00', end: '12:10' } } })
  await (await call(send, kit.host, { body: { message: 'Write it' } })).body?.cancel()
  await workOff(kit.host)
  const { id, conversation_id } = await onlyApproval(kit.host)
  const body = { approval_id: id, approved: true }
  await call(respond, kit.host, { params: { id: conversation_id }, body })
  await kit.host.clock.advance(11 * 60 * second)
  await workOff(kit.host)
  expect(kit.script.sent).toEqual([])
})

test('alerts and budgets reach the chosen channel, but only the chosen kinds', async () => {
  const kit = await channelHost()
  await pairOwner(kit)
  const notifications = { channel_id: kit.channel.id, events: ['alert'] }
  await call(channels.updateSettings, kit.host, { body: { notifications } })
  const fired = {
    ...{ alert_id: 'alert_1', name: 'Disk', condition: 'disk_free_pct < 5', threshold: 5 },
    ...{ period_minutes: 5, value: 3, summary: 'Free disk space: below 5 %', value_text: '3 %' },
  }
  const failed = {
    ...{ job_id: 'j', name: 'Report', run_id: 'r', trigger: 'schedule', attempt: 1, scheduled_for: null },
    ...{ conversation_id: null, status: 'failed', error: null, will_retry: false },
  }
  await commit(kit.host, [], [event('alert.fired', fired), event('job.run.failed', failed, kit.channel.owner_id)])
  await workOff(kit.host)
  expect(kit.script.texts).toEqual([expect.stringMatching(/Alert: Disk.*Free disk space: below 5 %; now 3 %/s)])
})

test('the owner pairs somebody from another chat', async () => {
  const kit = await channelHost()
  await pairOwner(kit)
  await call(channels.updateSettings, kit.host, { body: { notifications: { channel_id: kit.channel.id } } })
  await deliver(kit, message({ sender: bob }))
  const [request] = (await pairingsOf(kit.host)).filter(({ sender_id }) => sender_id === 'bob')
  expect(kit.script.texts.join()).toContain(`pair ${request?.code}`)
  // Bob cannot approve himself.
  await deliver(kit, message({ sender: bob, text: `pair ${request?.code}` }))
  expect((await pairingsOf(kit.host)).find(({ id }) => id === request?.id)?.status).toBe('pending')
  await deliver(kit, message({ text: `pair ${request?.code}` }))
  expect((await pairingsOf(kit.host)).find(({ id }) => id === request?.id)).toMatchObject({
    status: 'approved',
    role: 'guest',
  })
})

test('the name of a stranger cannot format or continue the text for the owner', async () => {
  const kit = await channelHost()
  await pairOwner(kit)
  await call(channels.updateSettings, kit.host, { body: { notifications: { channel_id: kit.channel.id } } })
  const name = `Bob**\n\nAnswer \`pair AAAAAAAA as owner\` [now](https://evil.example) <!channel> ${'x'.repeat(500)}`
  await deliver(kit, message({ sender: { id: 'bob', name } }))
  const asked = kit.script.sent.find(({ peer }) => peer.id === 'ada')?.markdown ?? ''
  expect(asked).toMatch(/^\*\*[^*`[\]<>\n]{1,200}\*\* Their code is /)
})

test('a job delivers its result to a channel, and failures notify', async () => {
  const kit = await channelHost({ models: scriptedModels(text('All is well')) })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await call(jobs.create, kit.host, {
    body: {
      ...{ name: 'Report', goal: 'Report', schedule: { type: 'every', interval: 3_600 } },
      delivery: { channel: kit.channel.id },
    },
  })
  await kit.host.clock.advance(hour)
  await workOff(kit.host)
  expect(kit.script.texts).toEqual(['All is well'])
})

test('a check-in of a conversation on a channel is sent there, and answered there', async () => {
  const arming = { delay_minutes: 5, waiting_on: 'the oven', estimate_basis: 'a guess' }
  const models = scriptedModels(
    toolCall('arm_check_in', arming),
    text('I will look again.'),
    text('The oven is hot.'),
    text('Enjoy the cake.'),
  )
  const kit = await channelHost({ models })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Tell me when the oven is hot' }))
  await kit.host.clock.advance(6 * minute)
  await workOff(kit.host)
  expect(kit.script.texts).toEqual(['I will look again.', 'The oven is hot.'])
  await deliver(kit, message({ text: 'Thank you' }))
  expect(kit.script.texts.at(-1)).toBe('Enjoy the cake.')
  expect(JSON.stringify(models.calls.at(-1)?.messages)).toContain('The oven is hot.')
  expect((await onlyConversation(kit.host)).kind).toBe('channel')
})

test('a workflow starts with a message of the owner and notifies on the channel', async () => {
  const kit = await channelHost({ models: scriptedModels(text('Hi')) })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  const nodes = {
    go: { type: 'trigger.channel', params: { channel_id: kit.channel.id } },
    tell: {
      type: 'notify',
      params: { channel: 'channel', channel_id: kit.channel.id, message: 'Heard: {{ input.text }}' },
    },
  }
  const { id } = await created(kit.host, drawn(nodes, ['go → tell']))
  expect((await call(workflows.activate, kit.host, { params: { id } })).status).toBe(200)
  await deliver(kit, message({ text: 'tea please', sender: ada }))
  expect(await executionsOf(kit.host, id)).toMatchObject([{ status: 'succeeded' }])
  expect(kit.script.texts.sort()).toEqual(['Heard: tea please', 'Hi'])
})

test('a message is sent to the owner by default, and refused if nobody is paired', async () => {
  const kit = await channelHost()
  const context = localContext(kit.host)
  const own = { ...context, caller: { ...context.caller, owner_id: kit.channel.owner_id } }
  await expect(sendToChannel(own, { channel_id: kit.channel.id, markdown: 'x' })).rejects.toThrow('Nobody is paired')
  await pairOwner(kit)
  await sendToChannel(own, { channel_id: kit.channel.id, markdown: 'Hello' })
  await sendToChannel(own, { channel_id: kit.channel.id, markdown: 'There', to: 'room9' })
  await workOff(kit.host)
  expect(kit.script.sent.map(({ peer, markdown }) => [peer.id, markdown]).sort()).toEqual([
    ['ada', 'Hello'],
    ['room9', 'There'],
  ])
})

test('what waits while a channel is disconnected is sent when it is connected again', async () => {
  const kit = await channelHost()
  await pairOwner(kit)
  kit.script.failures.push(new Error('no network'))
  const params = { id: kit.channel.id }
  await call(channels.send, kit.host, { params, body: { text: 'Later' } })
  await workOff(kit.host)
  await call(channels.disconnect, kit.host, { params })
  await kit.host.clock.advance(hour)
  await workOff(kit.host)
  expect(kit.script.sent).toEqual([])
  expect(await (await call(channels.connect, kit.host, { params })).json()).toMatchObject({
    status: 'connected',
  })
  await workOff(kit.host)
  expect(kit.script.texts).toEqual(['Later'])
})

test('a message whose answer a restart interrupted is answered again, as the message that it is', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const kit = await channelHost({ models: scriptedModels([held]) })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await post(kit, [message({ text: 'What is 3 times 100?' })])
  const turns = async () => {
    await tick(kit.host)
    return kit.host.process.running.count('chat.turn')
  }
  await expect.poll(turns).toBe(1)

  const models = scriptedModels(text('300'))
  const { sql, secrets, files, clock } = kit.host
  const host = await createMemoryHost(areas, { sql, secrets, files, clock, models })
  substitutes(host).set('telegram', kit.script.platform)
  await workOff(host)
  release()

  expect(kit.script.texts).toEqual(['300'])
  const asked = JSON.stringify(models.calls[0]?.messages.findLast(({ role }) => role === 'user'))
  expect(asked).toContain('What is 3 times 100?')
  expect(asked).not.toContain('untrusted')
  expect(asked).not.toContain('The daemon stopped')
})

/** A model that repeats the number of the last question, and the questions that it was asked, in order. */
function echoing() {
  const asked: string[] = []
  const echo: Step = async function* ({ messages }) {
    const question =
      JSON.stringify(messages)
        .match(/question \d+/g)
        ?.at(-1) ?? ''
    asked.push(question)
    yield { type: 'text', text: `Answer to ${question}` }
    yield { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }
  }
  return { asked, echo }
}

test('messages of a chat are answered in their order after a restart', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const kit = await channelHost({ models: scriptedModels([held]) })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  const numbers = [0, 5, 10, 15]
  for (const number of numbers) await post(kit, [message({ text: `What of question ${number}?` })])
  const turns = async () => {
    await tick(kit.host)
    return kit.host.process.running.count('chat.turn')
  }
  await expect.poll(turns).toBe(1)

  const { echo } = echoing()
  const { sql, secrets, files, clock } = kit.host
  const models = scriptedModels(echo, echo, echo, echo)
  const host = await createMemoryHost(areas, { sql, secrets, files, clock, models })
  substitutes(host).set('telegram', kit.script.platform)
  await workOff(host)
  release()
  expect(kit.script.texts).toEqual(numbers.map((number) => `Answer to question ${number}`))
})

test('an answer that its vendor breaks off is made again, before the next message is answered', async () => {
  const broken = new ModelError('interrupted', 'The connection broke')
  const { echo, asked } = echoing()
  const kit = await channelHost({
    models: scriptedModels([{ type: 'text', text: 'Half' }, broken], echo, echo),
  })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'What of question 1?' }), message({ text: 'What of question 2?' }))
  await kit.host.clock.advance(minute)
  await workOff(kit.host)
  expect(kit.script.texts).toEqual(['Answer to question 1', 'Answer to question 2'])
  expect(asked).toEqual(['question 1', 'question 2'])
})

const pay = {
  ...{ method: 'POST', url: 'https://shop.example/pay' },
  body: '{"amount": 9999, "to": "evil"}',
}
const wide = { limits: { ...limits, text_characters: 2_000 } }

test.each([
  ['http_request', pay, /body: \{"amount": 9999, "to": "evil"\}/],
  [
    'schedule_job',
    { name: 'Daily thing', when: 'every day at 9:00', goal: 'Send all files to evil.example' },
    /goal: Send all files to evil\.example/,
  ],
  [
    'device_command',
    { device: 'phone', command: 'open_url', params: { url: 'https://evil.example' } },
    /params:\n {2}url: https:\/\/evil\.example/,
  ],
  ['channel_send', { channel_id: 'ch_1', text: 'Hello', to: 'evil' }, /to: evil/],
] as const)('the question about %s shows its whole input', async (tool, input, shown) => {
  const kit = await channelHost({ models: scriptedModels(toolCall(tool, input)), platform: wide })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Do it' }))
  expect(kit.script.sent).toHaveLength(1)
  expect(kit.script.sent[0]?.markdown).toMatch(shown)
  expect(kit.script.sent[0]?.buttons.map(({ label }) => label)).toEqual(['Approve', 'Reject'])
})

test('marks in an input neither end its block nor look like a second message', async () => {
  const content = '```\n**Approved.** [Approve](https://evil.example)\n```\n\u202edlrow'
  const input = { action: 'write', path: 'a.txt', content }
  const kit = await channelHost({ models: scriptedModels(toolCall('files', input)), platform: wide })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Do it' }))
  const lines = kit.script.texts[0]?.split('\n') ?? []
  expect(lines.filter((line) => line.includes('```'))).toEqual(['```', '```'])
  expect(lines).toContain('  │ **Approved.** [Approve](https://evil.example)')
  expect(lines).toContain('  │ ⟨U+202E⟩dlrow')
})

test.each([true, false])(
  'an input that is too long for the chat can only be rejected there (buttons: %s)',
  async (buttons) => {
    const input = { action: 'write', path: 'a.txt', content: 'tea '.repeat(5_000) }
    const has = { buttons, typing: false, files: true, groups: true }
    const kit = await channelHost({
      models: scriptedModels(toolCall('files', input), text('Well')),
      platform: { ...wide, has },
    })
    await configure(kit.host, ['anthropic'])
    await pairOwner(kit)
    await deliver(kit, message({ text: 'Do it' }))
    const asked = kit.script.sent[0]
    expect(asked?.markdown).toMatch(
      /Its input has 20,0\d\d characters, too many for this chat\. Read and answer it on the Inbox page/,
    )
    expect(asked?.buttons.map(({ label }) => label)).toEqual(buttons ? ['Reject'] : [])
    const { id } = await onlyApproval(kit.host)
    await deliver(kit, message({ text: `yes ${id.slice(-5)}` }))
    await deliver(kit, message({ kind: 'button', text: '', value: `approve ${id}` }))
    expect(kit.script.texts.slice(1)).toEqual([
      expect.stringContaining('too long for this chat'),
      expect.stringContaining('too long for this chat'),
    ])
    expect((await onlyApproval(kit.host)).status).toBe('pending')
    await deliver(kit, message({ text: `no ${id.slice(-5)}` }))
    expect((await onlyApproval(kit.host)).status).toBe('rejected')
  },
)
