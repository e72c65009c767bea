import { expect, test } from 'vitest'
import { inject } from '../../handlers/chat/messages.ts'
import { remove } from '../../handlers/files/files.ts'
import { ownerOf } from '../../runtime/auth/owner.ts'
import { workspaceOf } from '../../runtime/tools/workspace.ts'
import { docx, encryptedPdf, paragraph, pdf } from '../files/documents-kit.ts'
import { png, uploaded } from '../files/kit.ts'
import { call } from '../support/call.ts'
import { findTool, toolBench } from './bench.ts'

test('an agent reads files attached in its own conversation, by name or id, as external text', async () => {
  const { host, use } = await toolBench()
  const list = await uploaded(host, 'milk and bread', { name: 'list.txt' })
  const picture = await uploaded(host, png, { name: 'cat.png' })
  const elsewhere = await uploaded(host, 'secret', { name: 'elsewhere.txt' })
  const body = { conversation_id: 'conv_1', role: 'user', content: 'See', attachments: [list.id, picture.id] }
  await call(inject, host, { body })
  const read = (wanted: string) => use('files', { action: 'read', path: `attachment:${wanted}` })

  const seen = await read('list.txt')
  expect(seen).toEqual({ path: 'attachment:list.txt', content: 'milk and bread', untrusted: true })
  expect(findTool('files')?.untrusted(seen)).toBe(true)
  expect(await read(list.id)).toMatchObject({ content: 'milk and bread' })
  await expect(read('cat.png')).rejects.toThrow('not text but image/png')
  await expect(read(elsewhere.id)).rejects.toThrow('was sent in this conversation')
  await call(remove, host, { params: { id: list.id } })
  await expect(read('list.txt')).rejects.toThrow('it was deleted')
})

test('an agent reads the text of documents, sent or in its workspace', async () => {
  const { host, scope, use } = await toolBench()
  const sent = await uploaded(host, docx(paragraph('The rent is 950 euros.')), { name: 'rent.docx' })
  const body = { conversation_id: 'conv_1', role: 'user', content: 'See', attachments: [sent.id] }
  await call(inject, host, { body })
  const root = workspaceOf(scope.agent.id, ownerOf(scope.context))
  await host.files.write(root, 'plan.pdf', pdf([['Sow in May.']]))
  await host.files.write(root, 'locked.pdf', encryptedPdf())
  const read = (path: string) => use('files', { action: 'read', path })

  expect(await read('attachment:rent.docx')).toMatchObject({
    content: 'The rent is 950 euros.',
    untrusted: true,
  })
  const plan = await read('plan.pdf')
  expect(plan).toMatchObject({ content: '[Page 1]\nSow in May.', truncated: false })
  expect(findTool('files')?.untrusted(plan)).toBe(true)
  await expect(read('locked.pdf')).rejects.toThrow('locked.pdf cannot be read: it is encrypted')
  await expect(use('files', { action: 'write', path: 'plan.pdf', content: 'x' })).rejects.toThrow('is a document')
})
