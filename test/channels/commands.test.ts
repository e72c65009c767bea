import { expect, test } from 'vitest'
import * as pairings from '../../handlers/channels/pairings.ts'
import { findConversation } from '../../runtime/chat/conversation-store.ts'
import { tick } from '../../runtime/tick.ts'
import { configure, configureAgent } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { onlyConversation } from '../support/chat.ts'
import { hanging, type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { bob, channelHost, deliver, group, type Kit, message, pairingsOf, pairOwner, post } from './kit.ts'

async function paired(...steps: Step[]) {
  const models = scriptedModels(...steps)
  const kit = await channelHost({ models })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  return { ...kit, models }
}

/** Ticks until a turn runs. */
const running = ({ host }: Kit) =>
  expect
    .poll(async () => {
      await tick(host)
      return host.process.running.count('chat.turn')
    })
    .toBe(1)

test('/stop ends the running answer at once, and the messages that wait for it', async () => {
  const kit = await paired(hanging, text('Never'))
  await post(kit, [message({ text: 'Write a book' }), message({ text: 'And another' })])
  await running(kit)
  await deliver(kit, message({ text: '/stop' }))
  expect(kit.script.texts).toEqual(['Stopped, with 1 more of your messages.'])
  expect(kit.models.calls).toHaveLength(1)
  expect(await findConversation(kit.host, (await onlyConversation(kit.host)).id)).toMatchObject({
    status: 'idle',
  })

  kit.models.add(text('Fresh'))
  await deliver(kit, message({ text: 'Are you there?' }))
  expect(kit.script.texts.slice(1)).toEqual(['Never'])
})

test('/stop does not wait for a message that is still being received', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<Response>()
  const models = scriptedModels(text('Never'))
  const kit = await channelHost({ models, platform: { download: () => held } })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  const files = [{ name: 'a.txt', mime_type: 'text/plain', size_bytes: 3, reference: {} }]
  await post(kit, [message({ text: 'Read this', files })])
  await tick(kit.host)
  await post(kit, [message({ text: '/stop' })])
  await expect
    .poll(async () => {
      await tick(kit.host)
      return kit.script.texts
    })
    .toEqual(['Nothing is running.'])
  release(new Response('tea'))
  await workOff(kit.host)
  expect(models.calls).toEqual([])
  expect(kit.script.texts).toHaveLength(1)
})

test('/stop withdraws the question of a turn', async () => {
  const write = toolCall('files', { action: 'write', path: 'a.txt', content: 'tea' })
  const models = scriptedModels(write, text('Never'))
  const kit = await channelHost({ models, edits: true })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Write it' }))
  await deliver(kit, message({ text: '/stop' }))
  expect(kit.script.edited).toMatchObject([
    { id: 'p1', message: { markdown: expect.stringContaining('⏹ Cancelled'), buttons: [] } },
  ])
  expect(kit.script.texts.slice(1)).toEqual(['Stopped.'])
})

test('/new, /help, /start, /status and unknown commands are answered without a model', async () => {
  const kit = await paired(text('Hello'), text('Again'))
  await deliver(kit, message({ text: '/status' }))
  await deliver(kit, message({ text: 'Hi' }))
  const first = (await onlyConversation(kit.host)).id
  for (const command of ['/help', '/start', '/status', '/dance now', '/new'])
    await deliver(kit, message({ text: command }))
  expect(kit.models.calls).toHaveLength(1)
  expect(kit.script.texts).toEqual([
    'There is no conversation yet: write me something.',
    'Hello',
    ...['Write to me', '/stop – Stop the answer', '/model'].map((part) => expect.stringContaining(part)),
    ...['Write to me', '/undo – Undo the latest', '/help'].map((part) => expect.stringContaining(part)),
    expect.stringMatching(/^I am ready\.\nAgent: .*, with anthropic\/.*\nThis conversation: 2 messages, 15 tokens/),
    'I don’t know the command /dance. /help lists those that I know.',
    'Your next message will start a new conversation.',
  ])
  await deliver(kit, message({ text: 'Hi' }))
  const messages = JSON.stringify(kit.models.calls[1]?.messages)
  expect(messages).not.toContain('Hello')
  expect(first).toBeTruthy()
})

test('/undo takes back what the latest answer changed in files', async () => {
  const write = toolCall('files', { action: 'write', path: 'a.txt', content: 'tea' })
  const kit = await paired(write, text('Done'))
  await configureAgent(kit.host, { execution_mode: 'auto' })
  await deliver(kit, message({ text: '/undo' }))
  await deliver(kit, message({ text: 'Write it' }))
  await deliver(kit, message({ text: '/undo' }), message({ text: '/undo' }))
  const none = 'There are no changes of files to undo.'
  expect(kit.script.texts).toEqual([none, 'Done', 'Undone: a.txt', none])
})

test('a path or a sentence that begins with a slash is no command', async () => {
  const kit = await paired(text('One'), text('Two'))
  await deliver(kit, message({ text: '/home/ada/a.txt is empty' }), message({ text: '/ 2 = ?' }))
  expect(kit.script.texts).toEqual(['One', 'Two'])
})

test('/model shows and changes the model of the conversation, for the owner only', async () => {
  const kit = await paired(text('Hi'), text('Again'))
  await deliver(kit, message({ text: '/model' }))
  expect(kit.script.texts[0]).toMatch(/^The model is anthropic\/[\s\S]*- `\/model anthropic\//)
  await deliver(kit, message({ text: '/model anthropic/claude-haiku-4-5' }))
  await deliver(kit, message({ text: 'Hi' }))
  expect(kit.models.calls[0]?.model).toBe('claude-haiku-4-5')
  await deliver(kit, message({ text: '/model nobody/x' }), message({ text: '/model openai/gpt-5' }))
  expect(kit.script.texts.join('\n')).toMatch(
    /There is no provider nobody\.[\s\S]*OpenAI or compatible has no key here/,
  )
  await deliver(kit, message({ text: '/model default' }), message({ text: 'Hi' }))
  expect(kit.models.calls[1]?.model).not.toBe('claude-haiku-4-5')
})

test('a guest learns nothing of the owner from commands', async () => {
  const kit = await paired(text('Hello Bob'))
  await deliver(kit, message({ sender: bob }))
  const request = (await pairingsOf(kit.host)).find(({ sender_id }) => sender_id === 'bob')
  await call(pairings.approve, kit.host, { params: { id: request?.id ?? '' } })
  await deliver(kit, message({ sender: bob, text: 'Hi' }))
  kit.script.sent.length = 0
  for (const text of ['/status', '/model', '/model anthropic/claude-haiku-4-5'])
    await deliver(kit, message({ sender: bob, text }))
  expect(kit.script.texts).toEqual([
    'I am ready.',
    'Only my owner may see and change the model, in a direct message.',
    'Only my owner may see and change the model, in a direct message.',
  ])
})

test('in a group, only a command that addresses the bot is one', async () => {
  const input = { settings: { group_policy: 'allowlist' as const } }
  const models = scriptedModels(text('Read'))
  const kit = await channelHost({ models, input: input as never })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ peer: group, text: '/help@OtherBot', is_mention: false }))
  expect(kit.script.texts).toEqual(['Read'])
  await deliver(kit, message({ peer: group, text: '/status@HearthBot', is_mention: true }))
  expect(kit.script.texts.at(-1)).toBe('I am ready.')
})
