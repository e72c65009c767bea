import { expect, test } from 'vitest'
import { inject } from '../../handlers/chat/messages.ts'
import { remove } from '../../handlers/files/files.ts'
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
