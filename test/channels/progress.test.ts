import { expect, test } from 'vitest'
import * as channels from '../../handlers/channels/channels.ts'
import * as pairings from '../../handlers/channels/pairings.ts'
import { findOutbound, insertOutbound, lastSent } from '../../runtime/channels/message-store.ts'
import { permanent } from '../../runtime/channels/platform.ts'
import { laneOf } from '../../runtime/channels/send.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { tick } from '../../runtime/tick.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { bob, channelHost, deliver, group, type Kit, limits, message, pairingsOf, pairOwner, post } from './kit.ts'

/** An answer whose pieces come when they are released. */
function pieces(...words: string[]) {
  const gates = words.map(() => Promise.withResolvers<void>())
  const step: Step = [
    ...words.flatMap((word, index) => [gates[index]?.promise ?? word, { type: 'text' as const, text: word }]),
    gates.at(-1)?.promise ?? Promise.resolve(),
    { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 },
  ] as Step
  return { step, release: (index: number) => gates[index]?.resolve() }
}

async function streaming(words: string[], more: Parameters<typeof channelHost>[0] = {}) {
  const last = Promise.withResolvers<void>()
  const { step, release } = pieces(...words)
  const models = scriptedModels([
    ...(step as unknown[]).slice(0, -2),
    last.promise,
    ...(step as unknown[]).slice(-1),
  ] as Step)
  const kit = await channelHost({ models, edits: true, ...more })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  return { ...kit, release, end: () => last.resolve() }
}

/** Lets time pass until a condition holds. */
async function passing(kit: Kit, condition: () => boolean): Promise<void> {
  await expect
    .poll(async () => {
      await kit.host.clock.advance(second)
      await tick(kit.host)
      return condition()
    })
    .toBe(true)
}

test('an answer streams as edits of one message, and its end is exact', async () => {
  const kit = await streaming(['The answer ', 'is for', 'ty-two.'])
  await post(kit, [message({ text: 'What is it?' })])
  kit.release(0)
  await passing(kit, () => kit.script.texts.length === 1)
  // The last word waits for its end.
  expect(kit.script.texts).toEqual(['The answer'])
  kit.release(1)
  await passing(kit, () => kit.script.edited.length === 1)
  expect(kit.script.edited[0]).toMatchObject({ id: 'p1', message: { markdown: 'The answer is' } })
  kit.release(2)
  kit.end()
  await passing(kit, () => kit.script.edited.at(-1)?.message.markdown === 'The answer is forty-two.')
  await workOff(kit.host)
  expect(kit.script.sent).toHaveLength(1)
  expect(kit.script.edited.at(-1)).toMatchObject({
    id: 'p1',
    message: { markdown: 'The answer is forty-two.' },
  })
})

test('a long answer goes on in further messages', async () => {
  const words = 'word '.repeat(60).trim()
  const kit = await streaming([`${words} `, 'end'])
  await post(kit, [message({ text: 'Tell me' })])
  kit.release(0)
  await passing(kit, () => kit.script.texts.length === 1)
  kit.release(1)
  kit.end()
  await passing(kit, () => kit.script.texts.length === 2)
  const shown = [kit.script.edited.at(-1)?.message.markdown ?? kit.script.texts[0], kit.script.texts[1]]
  expect(shown.join(' ')).toBe(`${words} end`)
  expect(Math.max(...shown.map((text) => text?.length ?? 0))).toBeLessThanOrEqual(limits.text_characters)
})

test('what was sent after the draft is not overtaken: only the rest of the answer follows', async () => {
  const gate = Promise.withResolvers<void>()
  const write = toolCall('files', { action: 'write', path: 'a.txt', content: 'tea' })
  const models = scriptedModels(
    [{ type: 'text', text: 'I write it now. ' }, gate.promise, ...write],
    text('It is written.'),
  )
  const kit = await channelHost({
    models,
    edits: true,
    platform: { limits: { ...limits, text_characters: 2_000 } },
  })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await post(kit, [message({ text: 'Write it' })])
  await passing(kit, () => kit.script.texts.length === 1)
  gate.resolve()
  await passing(kit, () => kit.script.texts.length === 2)
  const [approve] = kit.script.sent[1]?.buttons ?? []
  await deliver(kit, message({ kind: 'button', text: '', value: approve?.value ?? '' }))
  expect(kit.script.texts).toEqual(['I write it now.', expect.stringContaining('Approval'), 'It is written.'])
})

test('if a draft cannot be edited any more, the answer is a new message', async () => {
  const kit = await streaming(['The answer ', 'is forty-two.'])
  await post(kit, [message({ text: 'What is it?' })])
  kit.release(0)
  await passing(kit, () => kit.script.texts.length === 1)
  kit.script.failures.push(permanent('it is too old'))
  kit.release(1)
  kit.end()
  await passing(kit, () => kit.script.texts.length === 2)
  expect(kit.script.texts[1]).toBe('The answer is forty-two.')
})

test('a draft that cannot be edited any more is forgotten on its channel only', async () => {
  const kit = await streaming(['The answer ', 'is forty-two.'])
  const body = { platform: 'webhook', credentials: { secret: 'sixteen characters' } }
  const { id: channel_id } = await (await call(channels.create, kit.host, { body })).json()
  await post(kit, [message({ text: 'What is it?' })])
  kit.release(0)
  await passing(kit, () => kit.script.texts.length === 1)
  const draft = await lastSent(kit.host, laneOf(kit.channel.id, message().peer))
  if (!draft) throw new Error('There is no draft')
  await kit.host.sql.write([insertOutbound({ ...draft, id: 'out_other', channel_id, lane: 'other', turn: null })])
  kit.script.failures.push(permanent('it is too old'))
  kit.release(1)
  kit.end()
  await passing(kit, () => kit.script.texts.length === 2)
  expect(await findOutbound(kit.host, draft.id)).toMatchObject({ platform_message_id: null })
  expect(await findOutbound(kit.host, 'out_other')).toMatchObject({ platform_message_id: draft.platform_message_id })
})

test('no draft shows a part of a secret', async () => {
  const kit = await streaming([
    'The key is sk-ant-api03-',
    'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ. ',
    'Keep it.',
  ])
  await post(kit, [message({ text: 'Which key?' })])
  kit.release(0)
  await passing(kit, () => kit.script.texts.length === 1)
  expect(kit.script.texts).toEqual(['The key is'])
  kit.release(1)
  kit.release(2)
  kit.end()
  await passing(kit, () => kit.script.edited.some((edit) => edit.message.markdown.includes('Keep')))
  expect(JSON.stringify([kit.script.edited, kit.script.sent])).not.toContain('sk-ant-api03')
})

test('a message has a reaction while it is answered, also after a question', async () => {
  const write = toolCall('files', { action: 'write', path: 'a.txt', content: 'tea' })
  const kit = await channelHost({ models: scriptedModels(write, text('Written')) })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  kit.script.reactions.length = 0
  await deliver(kit, message({ text: 'Write it', reply: { token: 't1' } }))
  expect(kit.script.reactions).toEqual([['👀', 't1']])
  const [approve] = kit.script.sent[0]?.buttons ?? []
  await deliver(kit, message({ kind: 'button', text: '', value: approve?.value ?? '', reply: {} }))
  expect(kit.script.reactions).toEqual([
    ['👀', 't1'],
    [null, 't1'],
  ])
})

async function limitedFor(seconds: number, count = 1) {
  const refused = new ModelError('rate_limit', 'Too many requests', { retry_after_seconds: seconds })
  const models = scriptedModels(...Array.from({ length: count }, () => [refused]), text('Here I am.'))
  const kit = await channelHost({ models })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  return kit
}

async function pass(kit: Kit, milliseconds: number) {
  for (let passed = 0; passed < milliseconds; passed += 20 * second) {
    await kit.host.clock.advance(20 * second)
    await workOff(kit.host)
  }
}

test('a short wait for the model is only waited for', async () => {
  const kit = await limitedFor(60)
  await deliver(kit, message({ text: 'Hello?' }))
  await pass(kit, 2 * minute)
  expect(kit.script.texts).toEqual(['Here I am.'])
})

test('a long wait is said once, and answered in its turn, whoever asks', async () => {
  const kit = await limitedFor(2 * 3_600)
  await deliver(kit, message({ sender: bob }))
  const request = (await pairingsOf(kit.host)).find(({ sender_id }) => sender_id === 'bob')
  await call(pairings.approve, kit.host, { params: { id: request?.id ?? '' } })
  await workOff(kit.host)
  kit.script.sent.length = 0
  await deliver(kit, message({ sender: bob, text: 'Hello?' }))
  await pass(kit, 10 * minute)
  expect(kit.script.texts).toEqual([expect.stringMatching(/^This takes longer than usual/)])
  await kit.host.clock.advance(2 * hour)
  await workOff(kit.host)
  expect(kit.script.texts.slice(1)).toEqual(['Here I am.'])
})

test('in a group, an answer is edited at most every four seconds', async () => {
  const kit = await streaming(['One ', 'two ', 'three ', 'four.'], {
    input: { settings: { group_policy: 'mention' } } as never,
  })
  await post(kit, [message({ peer: group, text: 'Count' })])
  const times: number[] = []
  for (let at = 0; at < 16; at += 1) {
    if (at % 2 === 0) kit.release(at / 2)
    await kit.host.clock.advance(second)
    await tick(kit.host)
    await new Promise((resolve) => setImmediate(resolve))
    await tick(kit.host)
    const count = kit.script.edited.length + kit.script.sent.length
    while (times.length < count) times.push(kit.host.clock.now())
  }
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(4 * second)
  kit.end()
  await workOff(kit.host)
})
