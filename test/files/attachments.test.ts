import { beforeEach, expect, test } from 'vitest'
import { create as startConversation } from '../../handlers/chat/conversations.ts'
import { inject } from '../../handlers/chat/messages.ts'
import { send } from '../../handlers/chat/stream.ts'
import { remove } from '../../handlers/files/files.ts'
import { findConversation } from '../../runtime/chat/conversation-store.ts'
import { toModelMessages } from '../../runtime/chat/turn/prompt.ts'
import { maxText, readAttachments, requireAttachments } from '../../runtime/files/attachments.ts'
import type { StoredFile } from '../../runtime/files/schema.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import type { FilePart } from '../../runtime/ports/models.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, names, onlyConversation } from '../support/chat.ts'
import { peer, testHost } from '../support/host.ts'
import { png, uploaded } from './kit.ts'

let host: Awaited<ReturnType<typeof testHost>>
beforeEach(async () => {
  host = await testHost()
})

const context = () => contextOf(new Request('http://127.0.0.1:18781/'), host, peer)

/** What the model is given of these files. */
async function shown(...files: StoredFile[]): Promise<FilePart[]> {
  const attachments = await requireAttachments(
    context(),
    files.map(({ id }) => id),
  )
  return [...(await readAttachments(context(), attachments, () => true)).values()].toReversed()
}

const textOf = (part: FilePart | undefined) => new TextDecoder().decode(part?.data)

test('a message keeps its attached files, and its conversation counts as tainted', async () => {
  const file = await uploaded(host, 'Anna Weber moved to Berlin. She works at Siemens.', { name: 'a.txt' })
  const events = await chat(host, { message: 'who is mentioned in it?', attachments: [file.id, file.id] })
  const conversation = await onlyConversation(host)
  const [asked, answer] = (await conversationOf(host, conversation.id)).messages

  expect(names(events).at(-1)).toBe('done')
  expect(asked).toMatchObject({
    attachments: [file.id],
    parts: [
      { type: 'text', text: 'who is mentioned in it?' },
      { type: 'file', file_id: file.id, name: 'a.txt', mime_type: 'text/plain', size_bytes: 49 },
    ],
  })
  expect(answer?.content).toContain('Anna Weber')
  expect(await findConversation(host, conversation.id)).toMatchObject({ tainted: true })
})

test('the offline model says that it reads texts but no pictures', async () => {
  const file = await uploaded(host, png, { name: 'cat.png' })
  await chat(host, { message: 'summarise this', attachments: [file.id] })
  const { messages } = await conversationOf(host, (await onlyConversation(host)).id)

  expect(messages.at(-1)?.content).toContain('I can read texts and documents only, so I cannot open cat.png.')
})

test('a message without files leaves its conversation untainted', async () => {
  await chat(host, { message: 'hello' })

  expect(await findConversation(host, (await onlyConversation(host)).id)).toMatchObject({ tainted: false })
})

test('an unknown file is refused with the name of its field, and nothing is stored', async () => {
  const { id } = await uploaded(host, 'x')
  const attachments = [id, 'file_unknown']
  const refused = await call(send, host, { body: { message: 'look', attachments } })

  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({
    error: 'validation_error',
    issues: [{ path: 'attachments.1', message: 'must be the id of a file' }],
  })
  await expect(onlyConversation(host)).rejects.toThrow('not 0')
})

test('a message without an answer may also have files', async () => {
  const { id } = await uploaded(host, 'x')
  const conversation = await (await call(startConversation, host, { body: {} })).json()
  const message = { conversation_id: conversation.id, role: 'user', content: 'keep this' }
  const injected = await call(inject, host, { body: { ...message, attachments: [id] } })

  expect(injected.status).toBe(201)
  expect(await injected.json()).toMatchObject({
    attachments: [id],
    parts: [{ type: 'text' }, { file_id: id }],
  })
  expect((await call(inject, host, { body: { ...message, attachments: ['file_x'] } })).status).toBe(422)
})

test('pictures, documents and texts are read for the model', async () => {
  const picture = await uploaded(host, png, { name: 'cat.png' })
  const document = await uploaded(host, '%PDF-1.7\n', { name: 'paper.pdf' })
  const table = await uploaded(host, 'a,b\n1,2', { name: 'table.csv' })

  expect(await shown(picture, document, table)).toMatchObject([
    { type: 'file', name: 'cat.png', mime_type: 'image/png', data: png },
    { type: 'file', name: 'paper.pdf', mime_type: 'application/pdf', size_bytes: 9 },
    { type: 'file', name: 'table.csv', mime_type: 'text/csv', size_bytes: 7 },
  ])
  expect(textOf((await shown(table))[0])).toBe('a,b\n1,2')
})

test('files that cannot be shown are named with the reason', async () => {
  const zip = await uploaded(host, Uint8Array.of(80, 75, 3, 4, 20, 0, 0, 0, 0, 0), { name: 'a.zip' })
  const large = new Uint8Array(6 * 1024 * 1024)
  large.set(png)
  const picture = await uploaded(host, large, { name: 'large.png' })
  const gone = await uploaded(host, 'gone soon')
  const attachments = await requireAttachments(context(), [zip.id, picture.id, gone.id])
  await call(remove, host, { params: { id: gone.id } })
  const attached = await readAttachments(context(), attachments)

  expect([...attached.values()].map(({ name, omitted, data }) => [name, omitted, data.length])).toEqual([
    ['note.txt', 'it was deleted', 0],
    ['large.png', 'too large to be shown', 0],
    ['a.zip', 'its type cannot be shown', 0],
  ])
})

test('a long text is cut with a note', async () => {
  const long = await uploaded(host, 'ä'.repeat(maxText + 10))
  const [part] = await shown(long)
  const [text, mark] = textOf(part).split('\n')

  expect(text).toHaveLength(maxText)
  expect(mark).toBe('[cut here: 100000 characters of 200020 bytes are shown]')
})

test('of many long texts the latest are included', async () => {
  const files: StoredFile[] = []
  for (const letter of 'abcdef') files.push(await uploaded(host, letter.repeat(maxText), { name: letter }))
  const parts = await shown(...files)

  expect(parts.map(({ name, omitted }) => [name, omitted !== undefined])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
    ['d', false],
    ['e', false],
    ['f', false],
  ])
})

test('deleting a file keeps its message, which names it', async () => {
  const file = await uploaded(host, 'text', { name: 'a.txt' })
  await chat(host, { message: 'hello', attachments: [file.id] })
  await call(remove, host, { params: { id: file.id } })
  const { id } = await onlyConversation(host)
  await chat(host, { message: 'and now?', conversation_id: id })
  const { messages } = await conversationOf(host, id)

  expect(messages[0]).toMatchObject({
    attachments: [file.id],
    parts: [{}, { file_id: file.id, name: 'a.txt' }],
  })
  expect(messages.at(-1)?.status).toBe('complete')
})

test('files sent during an answer are part of it', async () => {
  const file = await uploaded(host, 'text', { name: 'a.txt' })
  const [part] = await requireAttachments(context(), [file.id])
  if (!part) throw new Error('no attachment')
  const steered = { type: 'steer' as const, message_id: 'msg_1', text: 'look at this', files: [part] }
  const answer = { role: 'assistant', content: '', parts: [steered] }
  const [said] = toModelMessages([answer as never], { attached: await readAttachments(context(), [part]) })

  expect(said).toMatchObject({
    role: 'user',
    content: [{ text: 'look at this' }, { name: 'a.txt', mime_type: 'text/plain' }],
  })
})
