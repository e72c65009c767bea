import { expect, test } from 'vitest'
import { list as listApprovals, respond } from '../../handlers/chat/approvals.ts'
import { type InboundMessage, type Platform, permanent } from '../../runtime/channels/platform.ts'
import type { Approval } from '../../runtime/chat/schema.ts'
import type { ModelEvent } from '../../runtime/ports/models.ts'
import { minute } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { bob, channelHost, deliver, group, type Kit, limits, message, pairOwner } from './kit.ts'

const wide = { ...limits, text_characters: 4_000 }

const written = (path: string, id: string): ModelEvent[] =>
  toolCall('files', { action: 'write', path, content: 'tea' }, id).slice(0, 1)

/** An agent that writes files in one step, then says so; the owner is paired. */
async function writing(paths: readonly string[], options: Parameters<typeof channelHost>[0] = {}) {
  const finish = toolCall('x', {}).slice(1)
  const calls = [...paths.flatMap((path, index) => written(path, `call_${index}`)), ...finish]
  const models = scriptedModels(calls, text('Written'))
  const kit = await channelHost({ models, platform: { limits: wide }, ...options })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  return kit
}

const press = (value: string | undefined, more: Partial<InboundMessage> = {}) =>
  message({ kind: 'button', text: '', value: value ?? '', ...more })

const valueFor = (kit: Kit, label: string) => {
  const shown = [...kit.script.sent, ...kit.script.edited.map((edit) => edit.message)]
  return shown.flatMap(({ buttons }) => buttons).findLast((button) => button.label === label)?.value
}

async function approvalsOf({ host }: Kit): Promise<Approval[]> {
  const { approvals } = (await (await call(listApprovals, host)).json()) as { approvals: Approval[] }
  return approvals
}

const statuses = async (kit: Kit): Promise<string[]> => (await approvalsOf(kit)).map(({ status }) => status)

test('what one step asks is one message, which is edited until all is decided', async () => {
  const kit = await writing(['a.txt', 'b.txt', 'c.txt'], { edits: true })
  await deliver(kit, message({ text: 'Write them' }))
  const [question] = kit.script.sent
  expect(kit.script.sent).toHaveLength(1)
  for (const path of ['a.txt', 'b.txt', 'c.txt']) expect(question?.markdown).toContain(`path: ${path}`)
  expect(question?.buttons.map(({ label }) => label)).toEqual([
    ...['Approve all', 'Reject all', 'Approve 1', 'Reject 1', 'Approve 2', 'Reject 2', 'Approve 3', 'Reject 3'],
  ])

  await deliver(kit, press(valueFor(kit, 'Reject 2')))
  const [edit] = kit.script.edited
  expect(edit?.id).toBe('p1')
  expect(edit?.message.markdown).toMatch(/❌ Rejected: .*b\.txt/)
  expect(edit?.message.buttons.map(({ label }) => label)).not.toContain('Approve 2')

  await deliver(kit, press(valueFor(kit, 'Approve all')))
  expect((await statuses(kit)).sort()).toEqual(['approved', 'approved', 'rejected'])
  expect(kit.script.edited.at(-1)?.message).toMatchObject({
    markdown: expect.stringMatching(/✅ Approved: .*a\.txt[\s\S]*❌ Rejected: .*b\.txt[\s\S]*✅ Approved: .*c\.txt/),
    buttons: [],
  })
  // No message says what the edited one shows.
  expect(kit.script.texts.slice(1)).toEqual(['Written'])
})

test('where messages cannot be edited, one at the end says what was decided', async () => {
  const kit = await writing(['a.txt', 'b.txt'])
  await deliver(kit, message({ text: 'Write them' }))
  await deliver(kit, press(valueFor(kit, 'Approve 1')))
  expect(kit.script.sent).toHaveLength(1)
  await deliver(kit, press(valueFor(kit, 'Reject 2')))
  expect(kit.script.texts.slice(1)).toEqual([
    expect.stringMatching(/✅ Approved: .*a\.txt\n❌ Rejected: .*b\.txt/),
    'Written',
  ])
})

test('without buttons, one reply answers all', async () => {
  const has = { buttons: false, typing: false, files: false, groups: false }
  const kit = await writing(['a.txt', 'b.txt'], { platform: { limits: wide, has } })
  await deliver(kit, message({ text: 'Write them' }))
  expect(kit.script.texts[0]).toMatch(/Reply `yes all` or `no all`, `yes [0-9A-Z]{5}` or `no [0-9A-Z]{5}`, /)
  await deliver(kit, message({ text: 'Yes all' }))
  expect(await statuses(kit)).toEqual(['approved', 'approved'])
})

test('what is risky is answered one by one', async () => {
  const pay = (id: string) =>
    toolCall('http_request', { method: 'POST', url: `https://shop.example/${id}` }, id).slice(0, 1)
  const models = scriptedModels([...pay('a'), ...pay('b'), ...toolCall('x', {}).slice(1)], text('Paid'))
  const kit = await channelHost({ models, platform: { limits: wide }, edits: true })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Pay both' }))
  const labels = kit.script.sent[0]?.buttons.map(({ label }) => label)
  expect(labels).toEqual(['Approve 1', 'Reject 1', 'Approve 2', 'Reject 2'])
  const one = valueFor(kit, 'Approve 1') ?? ''
  // Nobody can build the button for all.
  await deliver(kit, press(`approve ${kit.script.sent[0]?.id} 2`))
  expect(await statuses(kit)).toEqual(['pending', 'pending'])
  await deliver(kit, press(one))
  expect((await statuses(kit)).sort()).toEqual(['approved', 'pending'])
})

test('a button for all covers what its message showed, and no more', async () => {
  const kit = await writing(['a.txt', 'b.txt', 'c.txt'], { edits: true })
  await deliver(kit, message({ text: 'Write them' }))
  await deliver(kit, press(`approve ${kit.script.sent[0]?.id} 2`))
  expect((await statuses(kit)).sort()).toEqual(['approved', 'approved', 'pending'])
})

test('an answer in the web UI, and nobody answering, remove the buttons too', async () => {
  const kit = await writing(['a.txt', 'b.txt'], { edits: true })
  await deliver(kit, message({ text: 'Write them' }))
  const { approvals } = (await (await call(listApprovals, kit.host)).json()) as { approvals: Approval[] }
  const [first] = approvals
  const body = { approval_id: first?.id ?? '', approved: true }
  await call(respond, kit.host, { params: { id: first?.conversation_id ?? '' }, body })
  await workOff(kit.host)
  expect(kit.script.edited.at(-1)?.message.buttons).toHaveLength(2)
  await kit.host.clock.advance(31 * minute)
  await workOff(kit.host)
  expect(kit.script.edited.at(-1)?.message).toMatchObject({
    markdown: expect.stringContaining('⌛ Expired'),
    buttons: [],
  })
})

test('inputs that do not fit into one message are asked in several', async () => {
  const kit = await writing(['a.txt', 'b.txt'], { platform: { limits: { ...limits, text_characters: 280 } } })
  await deliver(kit, message({ text: 'Write them' }))
  expect(kit.script.sent.map(({ buttons }) => buttons.map(({ label }) => label))).toEqual([
    ['Approve', 'Reject'],
    ['Approve', 'Reject'],
  ])
})

const lines = Array.from({ length: 40 }, (_, line) => `line ${line}`)

/** An agent that writes a file whose content does not fit into one message. */
async function writingMuch(platform: Partial<Platform>) {
  const input = { action: 'write', path: 'a.txt', content: lines.join('\n') }
  const models = scriptedModels(toolCall('files', input), text('Written'))
  const kit = await channelHost({
    models,
    platform: { limits: { ...limits, text_characters: 280 }, ...platform },
  })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  return kit
}

test.each([true, false])(
  'an input that does not fit into its question is shown whole before it (buttons: %s)',
  async (buttons) => {
    const kit = await writingMuch({ has: { buttons, typing: false, files: true, groups: true } })
    await deliver(kit, message({ text: 'Write it' }))
    const parts = kit.script.texts.filter((one) => /^\*\*Input to approve, part \d of \d/.test(one))
    expect(parts.join('\n').match(/line \d+/g)).toEqual(lines)
    const question = kit.script.sent[parts.length]
    expect(question?.markdown).toContain('Its whole input is in the messages above.')
    const [approval] = await approvalsOf(kit)
    if (buttons) await deliver(kit, press(`approve ${approval?.id}`))
    else await deliver(kit, message({ text: `yes ${approval?.id.slice(-5)}` }))
    expect(question?.buttons.map(({ label }) => label)).toEqual(buttons ? ['Approve', 'Reject'] : [])
    expect(await statuses(kit)).toEqual(['approved'])
    expect(kit.script.texts.at(-1)).toBe('Written')
  },
)

test('if a part of an input could not be sent, it cannot be approved in the chat', async () => {
  const kit = await writingMuch({})
  kit.script.failures.push(null, permanent('refused'))
  await deliver(kit, message({ text: 'Write it' }))
  const question = kit.script.sent.find(({ buttons }) => buttons.length > 0)
  expect(question?.buttons.map(({ label }) => label)).toEqual(['Reject'])
  await deliver(kit, press(`approve ${(await approvalsOf(kit))[0]?.id}`))
  expect(await statuses(kit)).toEqual(['pending'])
})

const asked = (options: string[]) => toolCall('ask_user', { question: 'Which colour?', options })

async function asking(options: string[], more: Parameters<typeof channelHost>[0] = {}) {
  const models = scriptedModels(asked(options), text('Painted'))
  const kit = await channelHost({ models, platform: { limits: wide }, edits: true, ...more })
  await configure(kit.host, ['anthropic'])
  await pairOwner(kit)
  await deliver(kit, message({ text: 'Paint it' }))
  return { ...kit, models }
}

test('the options of a question are buttons, which go when one is chosen', async () => {
  const kit = await asking(['Red', 'Blue'])
  expect(kit.script.sent).toMatchObject([{ markdown: 'Which colour?', buttons: [{ label: 'Red' }, { label: 'Blue' }] }])
  const blue = valueFor(kit, 'Blue')
  await deliver(kit, press(blue))
  expect(kit.models.calls[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'Blue' }] })
  expect(kit.script.edited.map((edit) => edit.message)).toMatchObject([
    { markdown: 'Which colour?\n\n☑ Blue', buttons: [] },
  ])
  expect(kit.script.texts.at(-1)).toBe('Painted')

  await deliver(kit, press(blue))
  expect(kit.models.calls).toHaveLength(2)
  expect(kit.script.texts.at(-1)).toContain('already been answered')
})

test('long options are listed, and their buttons numbered', async () => {
  const kit = await asking(['The red one that you liked so much', 'Blue'])
  expect(kit.script.sent[0]?.markdown).toBe('Which colour?\n\n1. The red one that you liked so much\n2. Blue')
  expect(kit.script.sent[0]?.buttons.map(({ label }) => label)).toEqual([
    '1. The red one that you liked so much',
    '2. Blue',
  ])
})

test('without buttons, a number chooses an option', async () => {
  const has = { buttons: false, typing: false, files: false, groups: false }
  const kit = await asking(['Red', 'Blue'], { platform: { limits: wide, has } })
  expect(kit.script.texts).toEqual(['Which colour?\n\n1. Red\n2. Blue'])
  await deliver(kit, message({ text: '2.' }))
  expect(kit.models.calls[1]?.messages.at(-1)).toMatchObject({ content: [{ text: 'Blue' }] })
})

test('a stranger in a group cannot choose for the owner', async () => {
  const kit = await asking(['Red', 'Blue'])
  await deliver(kit, press(valueFor(kit, 'Blue'), { sender: bob, peer: group }))
  expect(kit.models.calls).toHaveLength(1)
})
