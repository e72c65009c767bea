import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDisk } from '../../adapters/disk/files.ts'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import type { Files } from '../../runtime/ports/files.ts'
import { ToolError } from '../../runtime/tools/tool.ts'
import { findTool, toolBench } from './bench.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearthd-files-'))
})
afterAll(() => rm(folder, { recursive: true }))

const stores: [string, () => Files][] = [
  ['in memory', () => createMemoryFiles()],
  ['on disk', () => createDisk(join(folder, crypto.randomUUID()))],
]

describe.each(stores)('files %s', (_, open) => {
  test('writes, reads, edits and lists', async () => {
    const { use } = await toolBench({ files: open() })
    const content = 'tea, milk, tea'

    expect(await use('files', { action: 'list' })).toEqual({ entries: [] })
    expect(await use('files', { action: 'write', path: 'notes/shop.txt', content })).toEqual({
      path: 'notes/shop.txt',
      size_bytes: 14,
      version: expect.any(String),
    })
    expect(await use('files', { action: 'read', path: './notes/shop.txt' })).toEqual({
      path: 'notes/shop.txt',
      content,
      truncated: false,
      version: expect.any(String),
    })
    expect(
      await use('files', { action: 'edit', path: 'notes/shop.txt', find: 'tea', replace: '$& café' }),
    ).toMatchObject({ path: 'notes/shop.txt', replacements: 2 })
    expect(await use('files', { action: 'read', path: 'notes/shop.txt' })).toMatchObject({
      content: '$& café, milk, $& café',
    })
    expect(await use('files', { action: 'list', path: '.' })).toMatchObject({
      entries: [{ path: 'notes', kind: 'folder' }],
    })
    expect(await use('files', { action: 'list', path: 'notes/' })).toMatchObject({
      entries: [{ path: 'notes/shop.txt', kind: 'file' }],
    })
  })

  test('appends lines, and creates a missing file', async () => {
    const { use } = await toolBench({ files: open() })
    await use('files', { action: 'append', path: 'three.txt', content: 'one' })
    await use('files', { action: 'write', path: 'three.txt', content: 'one\ntwo' })
    await use('files', { action: 'append', path: './three.txt', content: 'three' })

    expect(await use('files', { action: 'read', path: 'three.txt' })).toMatchObject({
      content: 'one\ntwo\nthree\n',
    })
  })

  test.each([
    ['binary', Uint8Array.of(0xc3, 0x28, 0), 'not a text file'],
    ['too large', new Uint8Array(1_100_000).fill(97), 'larger than'],
  ])('changes nothing in a file that it cannot read: %s', async (_, bytes, message) => {
    const { scope, use } = await toolBench({ files: open() })
    const root = `workspaces/${scope.agent.id}`
    await scope.context.files.write(root, 'kept', bytes)
    for (const action of ['write', 'append', 'edit'])
      await expect(use('files', { action, path: 'kept', content: 'x', find: 'a' })).rejects.toThrow(message)

    expect(await scope.context.files.read(root, 'kept')).toEqual(bytes)
  })

  test('does not replace a file that cannot be read completely', async () => {
    const { use } = await toolBench({ files: open() })
    await use('files', { action: 'write', path: 'long.txt', content: 'a'.repeat(150_000) })

    await expect(use('files', { action: 'write', path: 'long.txt', content: 'x' })).rejects.toThrow(
      'use append or edit',
    )
    await use('files', { action: 'append', path: 'long.txt', content: 'b' })
    expect(await use('files', { action: 'search', query: 'b' })).toMatchObject({ matches: [{ line: 2 }] })
  })

  test('write replaces a file only if this conversation has read what it contains now', async () => {
    const { use } = await toolBench({ files: open() })
    const write = (content: string, more: object = {}, conversation_id = 'conv_1') =>
      use('files', { action: 'write', path: 'a.txt', content, ...more }, { conversation_id })
    const read = async (conversation_id: string) =>
      (await use('files', { action: 'read', path: './a.txt' }, { conversation_id })) as { version: string }
    await write('one')
    await write('two')

    await expect(write('other', {}, 'conv_2')).rejects.toThrow('has not read it')
    const { version } = await read('conv_2')
    await write('three')
    await expect(write('other', {}, 'conv_2')).rejects.toThrow('was changed by somebody else')
    await expect(write('other', { version }, 'conv_2')).rejects.toThrow('use the action read again')
    await read('conv_2')
    await write('other', {}, 'conv_2')
    await expect(write('four')).rejects.toThrow('was changed by somebody else')
    await write('four', { overwrite: true })
    await write('five', { version: (await read('conv_3')).version }, 'conv_4')
    expect(await use('files', { action: 'read', path: 'a.txt' })).toMatchObject({ content: 'five' })
  })

  test('append and edit keep what others have written, and check a version that they name', async () => {
    const { use } = await toolBench({ files: open() })
    const inOther = { conversation_id: 'conv_2' }
    const written = await use('files', { action: 'write', path: 'a.txt', content: 'red\n' })
    const { version } = written as { version: string }
    await use('files', { action: 'append', path: 'a.txt', content: 'blue' }, inOther)
    await use('files', { action: 'edit', path: 'a.txt', find: 'red', replace: 'green' })
    await use('files', { action: 'append', path: 'a.txt', content: 'white' })

    for (const action of ['append', 'edit', 'write'])
      await expect(
        use('files', { action, path: 'a.txt', content: 'x', find: 'green', replace: 'x', version }),
      ).rejects.toThrow('was changed by somebody else')
    await expect(use('files', { action: 'write', path: 'none.txt', content: 'x', version })).rejects.toThrow(
      'There is no file none.txt any more',
    )
    await expect(use('files', { action: 'write', path: 'a.txt', content: 'x' })).rejects.toThrow('read again')
    expect(await use('files', { action: 'read', path: 'a.txt' })).toMatchObject({
      content: 'green\nblue\nwhite\n',
    })
  })

  test('what a conversation appends or edits it knows, if it knew the file before', async () => {
    const { use } = await toolBench({ files: open() })
    await use('files', { action: 'append', path: 'a.txt', content: 'red' })
    await use('files', { action: 'edit', path: 'a.txt', find: 'red', replace: 'blue' })

    await use('files', { action: 'write', path: 'a.txt', content: 'all new' })
    expect(await use('files', { action: 'read', path: 'a.txt' })).toMatchObject({ content: 'all new' })
  })

  test('write does not replace a text of which the model sees less than all', async () => {
    const { use, scope } = await toolBench({ files: open() })
    // As JSON it is longer than a result may be.
    await use('files', { action: 'append', path: 'lines.txt', content: '\n'.repeat(60_000) })
    await use('files', { action: 'append', path: 'key.txt', content: 'key: secret-canary-0123456789' })
    await scope.context.process.redaction.use(['secret-canary-[0-9]+'])
    for (const path of ['lines.txt', 'key.txt']) {
      await use('files', { action: 'read', path })
      await expect(use('files', { action: 'write', path, content: 'x' })).rejects.toThrow('cannot be shown completely')
    }
  })

  test('searches every text file below a folder', async () => {
    const { scope, use } = await toolBench({ files: open() })
    await use('files', { action: 'write', path: 'a.md', content: 'first\nGreen Tea\r\nlast' })
    await use('files', { action: 'write', path: 'deep/er/b.md', content: 'no more tea' })
    await scope.context.files.write(`workspaces/${scope.agent.id}`, 'c.bin', Uint8Array.of(0xff, 0, 116, 101, 97))

    expect(await use('files', { action: 'search', query: 'TEA' })).toEqual({
      matches: [
        { path: 'a.md', line: 2, text: 'Green Tea' },
        { path: 'deep/er/b.md', line: 1, text: 'no more tea' },
      ],
    })
    expect(await use('files', { action: 'search', query: 'tea', path: 'deep' })).toMatchObject({
      matches: [{ path: 'deep/er/b.md' }],
    })
  })

  test('cuts a long file with a note', async () => {
    const { use } = await toolBench({ files: open() })
    await use('files', { action: 'write', path: 'long.txt', content: 'é'.repeat(150_000) })

    expect(await use('files', { action: 'read', path: 'long.txt' })).toEqual({
      path: 'long.txt',
      content: 'é'.repeat(100_000),
      truncated: true,
      version: expect.any(String),
    })
  })

  test.each([
    '../secret',
    '/etc/passwd',
    'a/../../b',
    'a\\b',
    '..%2fsecret',
    'nul\u0000',
    'CON',
    '~/../x',
    'x'.repeat(300),
  ])('refuses the path %j and says what to use', async (path) => {
    const { use } = await toolBench({ files: open() })
    for (const action of ['read', 'write', 'append', 'edit', 'list', 'search']) {
      const call = use('files', { action, path, content: 'x', find: 'x', replace: 'y', query: 'x' })
      await expect(call).rejects.toThrow(ToolError)
      await expect(call).rejects.toThrow('Use a path below your workspace')
    }
  })

  test('a search with too many matches is cut with a note', async () => {
    const { use } = await toolBench({ files: open() })
    await use('files', { action: 'write', path: 'a.txt', content: 'tea\n'.repeat(101) })
    const found = (await use('files', { action: 'search', query: 'tea' })) as {
      matches: unknown[]
      truncated?: boolean
    }

    expect(found.matches).toHaveLength(100)
    expect(found.truncated).toBe(true)
  })

  test('each agent has its own workspace', async () => {
    const { scope, use } = await toolBench({ files: open() })
    await use('files', { action: 'write', path: 'mine.txt', content: 'x' })

    expect(await use('files', { action: 'list' }, { agent: { ...scope.agent, id: 'agent_other' } })).toEqual({
      entries: [],
    })
  })

  test.each([
    [{ action: 'read' }, 'needs `path`'],
    [{ action: 'read', path: 'none.txt' }, 'There is no file'],
    [{ action: 'read', path: 'folder' }, 'is a folder'],
    [{ action: 'read', path: 'folder/bin' }, 'not a text file'],
    [{ action: 'write', path: 'a.txt' }, 'needs `content`'],
    [{ action: 'write', path: 'a.txt', content: 'é'.repeat(600_000) }, 'at most'],
    [{ action: 'edit', path: 'folder/text', find: 'tea' }, 'does not contain that text'],
    [{ action: 'edit', path: 'folder/text' }, 'needs `find`'],
    [{ action: 'edit', path: 'none.txt', find: 'tea' }, 'There is no file'],
    [{ action: 'append', path: 'a.txt' }, 'needs `content`'],
    [{ action: 'search' }, 'needs `query`'],
  ])('says what is wrong with %j', async (input, message) => {
    const { scope, use } = await toolBench({ files: open() })
    const root = `workspaces/${scope.agent.id}`
    await scope.context.files.write(root, 'folder/bin', Uint8Array.of(0xc3, 0x28, 0))
    await scope.context.files.write(root, 'folder/text', new TextEncoder().encode('milk'))
    const call = use('files', input)

    await expect(call).rejects.toThrow(ToolError)
    await expect(call).rejects.toThrow(message)
  })
})

test('a link out of the workspace is refused', async () => {
  const files = createDisk(join(folder, 'linked'))
  const { scope, use } = await toolBench({ files })
  await use('files', { action: 'write', path: 'a.txt', content: 'x' })
  await symlink('/etc', join(folder, 'linked', 'workspaces', scope.agent.id, 'out'))

  await expect(use('files', { action: 'read', path: 'out/hostname' })).rejects.toThrow(ToolError)
  await expect(use('files', { action: 'write', path: 'out/x', content: 'x' })).rejects.toThrow(ToolError)
})

test('only writing and editing have side effects', () => {
  const files = findTool('files')
  const effects = ['list', 'read', 'search', 'write', 'append', 'edit'].map((action) => [
    files?.effect({ action }),
    files?.risk({ action }),
  ])

  expect(effects).toEqual([
    ['read', 'low'],
    ['read', 'low'],
    ['read', 'low'],
    ['write', 'medium'],
    ['write', 'medium'],
    ['write', 'medium'],
  ])
})
