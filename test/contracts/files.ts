import { beforeEach, describe, expect, test } from 'vitest'
import { type Files, PathRefused } from '../../runtime/ports/files.ts'

const root = 'workspaces/agent_01'
const bytes = (text: string) => new TextEncoder().encode(text)
const text = (found: Uint8Array | null) => found && new TextDecoder().decode(found)

const same = (left: Uint8Array, right: Uint8Array) =>
  left.length === right.length && left.every((byte, index) => byte === right[index])

/** Paths that no store of files may take. */
export const hostilePaths = [
  '',
  '.',
  '..',
  '../x',
  '../../etc/passwd',
  'a/../b',
  'a/..',
  'a/./b',
  './a',
  'a/../../../x',
  '/etc/passwd',
  '//x',
  'a//b',
  'a/',
  '/',
  '~/../x/',
  '..\\x',
  'a\\b',
  '\\\\server\\share',
  'C:\\x',
  'C:/x',
  'c:x',
  'file:///etc/passwd',
  'a:b',
  'a\0b',
  '\0',
  'a\nb',
  'a\u007fb',
  '%2e%2e/x',
  '%2E%2E%2Fx',
  '..%2fx',
  '%2e%2e%5cx',
  '%252e%252e%252fx',
  'a%00b',
  '%2fetc',
  '．．/x',
  '‥/x',
  'a／b',
  '..／x',
  'a＼b',
  '\ud800',
  'a\udfff.txt',
  'con',
  'CON',
  'nul.txt',
  'a/NUL',
  'aux',
  'prn.tar.gz',
  'com1',
  'COM9.log',
  'lpt1',
  'COM¹',
  'conin$',
  'a<b',
  'a>b',
  'a"b',
  'a|b',
  'a?b',
  'a*b',
  'trailing.',
  'trailing ',
  'a /b',
  '...',
  '.. /x',
  '. ./..',
  'x'.repeat(256),
  'ü'.repeat(128),
  `${'abcdefghi/'.repeat(103)}x`,
]

const hostileRoots = [
  '',
  '..',
  '../other',
  'workspaces/../..',
  '/etc',
  '.hidden',
  'a b',
  'workspaces/',
  'a\\b',
  'con',
  'a%2e',
  'ü',
]

async function* pieces(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? bytes(part) : part
}

async function* cut(): AsyncGenerator<Uint8Array> {
  yield bytes('the first half')
  throw new Error('the line was cut')
}

async function all(stream: ReadableStream<Uint8Array> | null): Promise<string | null> {
  return stream && new Response(stream).text()
}

/** What every store of files must do. `create` makes an empty one. */
export function filesContract(create: () => Files): void {
  let files: Files
  beforeEach(() => {
    files = create()
  })

  test('returns what was written, byte for byte', async () => {
    const content = Uint8Array.from({ length: 70_000 }, (_, index) => index % 256)
    await files.write(root, 'data.bin', content)

    expect(Array.from((await files.read(root, 'data.bin')) ?? [])).toEqual(Array.from(content))
  })

  test('a root is measured, and removed with everything in it', async () => {
    expect(await files.size(root, 10)).toBe(0)
    await files.write(root, 'a/b/data.bin', new Uint8Array(10_000).fill(7))
    await files.write('workspaces/agent_02', 'data.bin', new Uint8Array(1))

    expect(await files.size(root, 10)).toBeGreaterThanOrEqual(10_000)
    expect(await files.size(root, 2)).toBeNull()
    await files.removeRoot(root)
    await files.removeRoot('workspaces/none')
    expect([await files.list(root), await files.size(root, 10)]).toEqual([[], 0])
    expect((await files.list('workspaces/agent_02')).length).toBe(1)
  })

  test('an empty file is a file', async () => {
    await files.write(root, 'empty', new Uint8Array())

    expect((await files.read(root, 'empty'))?.length).toBe(0)
    expect(await files.stat(root, 'empty')).toMatchObject({ kind: 'file', size_bytes: 0 })
  })

  test("later changes of the caller's bytes change nothing inside", async () => {
    const content = bytes('before')
    await files.write(root, 'a.txt', content)
    content.fill(0)
    ;(await files.read(root, 'a.txt'))?.fill(0)

    expect(text(await files.read(root, 'a.txt'))).toBe('before')
  })

  test('replaces a file', async () => {
    await files.write(root, 'a.txt', bytes('a longer first text'))
    await files.write(root, 'a.txt', bytes('second'))

    expect(text(await files.read(root, 'a.txt'))).toBe('second')
  })

  test('reads no more than requested', async () => {
    await files.write(root, 'a.txt', bytes('0123456789'))

    expect(text(await files.read(root, 'a.txt', { max_bytes: 4 }))).toBe('0123')
    expect(text(await files.read(root, 'a.txt', { max_bytes: 0 }))).toBe('')
    expect(text(await files.read(root, 'a.txt', { max_bytes: 100 }))).toBe('0123456789')
  })

  test('creates missing folders', async () => {
    await files.write(root, 'deep/er/note.txt', bytes('x'))

    expect(await files.stat(root, 'deep')).toMatchObject({ path: 'deep', kind: 'folder', size_bytes: 0 })
    expect(await files.stat(root, 'deep/er/note.txt')).toMatchObject({
      path: 'deep/er/note.txt',
      kind: 'file',
    })
  })

  test('lists the contents of a folder by name, with paths from the root', async () => {
    for (const path of ['b.txt', 'a/one.txt', 'a/two/three.txt', 'grüße 🔥.txt'])
      await files.write(root, path, bytes(path))
    const entries = await files.list(root)

    expect(entries.map(({ path, kind }) => [path, kind])).toEqual([
      ['a', 'folder'],
      ['b.txt', 'file'],
      ['grüße 🔥.txt', 'file'],
    ])
    expect((await files.list(root, 'a')).map(({ path }) => path)).toEqual(['a/one.txt', 'a/two'])
    expect(entries[1]).toMatchObject({
      size_bytes: 5,
      modified_at: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/),
    })
  })

  test('a missing file or folder is null, false or an empty list', async () => {
    expect(await files.read(root, 'nothing')).toBeNull()
    expect(await files.read(root, 'no/thing')).toBeNull()
    expect(await files.stat(root, 'nothing')).toBeNull()
    expect(await files.remove(root, 'nothing')).toBe(false)
    expect(await files.remove(root, 'no/thing')).toBe(false)
    expect(await files.list(root)).toEqual([])
    expect(await files.list(root, 'nothing')).toEqual([])
  })

  test('a folder is not a file and a file is not a folder', async () => {
    await files.write(root, 'folder/file.txt', bytes('x'))

    expect(await files.read(root, 'folder')).toBeNull()
    expect(await files.read(root, 'folder/file.txt/more')).toBeNull()
    expect(await files.list(root, 'folder/file.txt')).toEqual([])
    await expect(files.write(root, 'folder', bytes('x'))).rejects.toThrow(PathRefused)
    await expect(files.write(root, 'folder/file.txt/more', bytes('x'))).rejects.toThrow(PathRefused)
    expect(text(await files.read(root, 'folder/file.txt'))).toBe('x')
  })

  test('removes a file, or a folder with its contents', async () => {
    for (const path of ['a.txt', 'gone/one.txt', 'gone/deep/two.txt', 'gone2.txt'])
      await files.write(root, path, bytes('x'))

    expect(await files.remove(root, 'a.txt')).toBe(true)
    expect(await files.remove(root, 'a.txt')).toBe(false)
    expect(await files.remove(root, 'gone')).toBe(true)
    expect((await files.list(root)).map(({ path }) => path)).toEqual(['gone2.txt'])
    expect(await files.read(root, 'gone/deep/two.txt')).toBeNull()
  })

  test('a folder remains when its last file is removed', async () => {
    await files.write(root, 'folder/file.txt', bytes('x'))
    await files.remove(root, 'folder/file.txt')

    expect(await files.stat(root, 'folder')).toMatchObject({ kind: 'folder' })
  })

  test('roots do not see each other', async () => {
    await files.write(root, 'a.txt', bytes('mine'))

    expect(await files.read('workspaces/agent_02', 'a.txt')).toBeNull()
    expect(await files.list('avatars')).toEqual([])
  })

  test('of concurrent writers one wins completely', async () => {
    const contents = Array.from({ length: 10 }, (_, index) => String(index).repeat(10_000))
    await Promise.all(contents.map((content) => files.write(root, 'a.txt', bytes(content))))

    expect(contents).toContain(text(await files.read(root, 'a.txt')))
    expect(await files.list(root)).toHaveLength(1)
  })

  test('changes of one file are made one after the other', async () => {
    const add = (line: string) =>
      files.change(root, 'folder/rows.txt', async (file) => {
        const before = text(await files.read(root, 'folder/rows.txt')) ?? ''
        await file.write(bytes(`${before}${line}\n`))
        return line
      })
    const lines = Array.from({ length: 20 }, (_, index) => `row ${index}`)

    expect(await Promise.all(lines.map(add))).toEqual(lines)
    // Requests to another process may overtake each other; none is lost.
    const stored = text(await files.read(root, 'folder/rows.txt'))
      ?.trimEnd()
      .split('\n')
    expect(stored?.toSorted()).toEqual(lines.toSorted())
  })

  const otherChanges: [string, (files: Files) => Promise<unknown>, string | null][] = [
    ['write', (all) => all.write(root, 'a.txt', bytes('other')), 'other'],
    ['writeStream', (all) => all.writeStream(root, 'a.txt', pieces('other')), 'other'],
    ['move', (all) => all.move(root, 'b.txt', 'a.txt'), 'moved'],
    ['remove', (all) => all.remove(root, 'a.txt'), null],
  ]
  test.each(otherChanges)('%s waits for a change of the same file', async (_, other, after) => {
    await files.write(root, 'a.txt', bytes('before'))
    await files.write(root, 'b.txt', bytes('moved'))
    let waiting: Promise<unknown> = Promise.resolve()
    await files.change(root, 'a.txt', async (file) => {
      waiting = other(files)
      for (let round = 0; round < 20; round += 1) await files.stat(root, 'b.txt')
      expect(text(await files.read(root, 'a.txt'))).toBe('before')
      await file.writeStream(pieces('mine'))
      expect(text(await files.read(root, 'a.txt'))).toBe('mine')
    })
    await waiting

    expect(text(await files.read(root, 'a.txt'))).toBe(after)
  })

  test('a change that fails lets the next one through', async () => {
    const failing = files.change(root, 'a.txt', () => Promise.reject(new Error('stopped')))
    const next = files.write(root, 'a.txt', bytes('next'))

    await expect(failing).rejects.toThrow('stopped')
    await next
    expect(text(await files.read(root, 'a.txt'))).toBe('next')
  })

  test('stores a stream piece by piece, and returns its length and SHA-256', async () => {
    const written = await files.writeStream(root, 'deep/abc.txt', pieces('a', new Uint8Array(), 'b', 'c'))

    // The example of FIPS 180-4.
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(written).toEqual({ size_bytes: 3, sha256 })
    expect(text(await files.read(root, 'deep/abc.txt'))).toBe('abc')
  })

  test('an empty stream is an empty file', async () => {
    expect(await files.writeStream(root, 'empty', pieces())).toMatchObject({ size_bytes: 0 })
    expect(await files.stat(root, 'empty')).toMatchObject({ kind: 'file', size_bytes: 0 })
    expect(await all(await files.readStream(root, 'empty'))).toBe('')
  })

  test('a failing stream leaves the previous content, and nothing else', async () => {
    await files.write(root, 'a.txt', bytes('before'))

    await expect(files.writeStream(root, 'a.txt', cut())).rejects.toThrow('the line was cut')
    await expect(files.writeStream(root, 'new.txt', cut())).rejects.toThrow('the line was cut')
    expect(text(await files.read(root, 'a.txt'))).toBe('before')
    expect((await files.list(root)).map(({ path }) => path)).toEqual(['a.txt'])
  })

  test('a stream may be larger than any stored piece', async () => {
    const part = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 7) % 251)
    await files.writeStream(root, 'big.bin', pieces(part, part, part, part))
    const read = new Uint8Array(await new Response(await files.readStream(root, 'big.bin')).arrayBuffer())

    expect(read.length).toBe(2_800_000)
    expect([0, 1, 2, 3].every((at) => same(read.subarray(at * 700_000, (at + 1) * 700_000), part))).toBe(true)
    const middle = await files.readStream(root, 'big.bin', { start: 1_000_000, end: 2_200_000 })
    expect(same(new Uint8Array(await new Response(middle).arrayBuffer()), read.subarray(1_000_000, 2_200_000))).toBe(
      true,
    )
  })

  test('streams part of a file', async () => {
    await files.write(root, 'a.txt', bytes('0123456789'))
    const part = async (span: { start?: number; end?: number }) => all(await files.readStream(root, 'a.txt', span))

    expect(await part({})).toBe('0123456789')
    expect(await part({ start: 4 })).toBe('456789')
    expect(await part({ start: 2, end: 5 })).toBe('234')
    expect(await part({ start: 8, end: 100 })).toBe('89')
    expect(await part({ start: 10 })).toBe('')
    expect(await files.readStream(root, 'nothing')).toBeNull()
    await files.write(root, 'folder/x', bytes('x'))
    expect(await files.readStream(root, 'folder')).toBeNull()
  })

  test('a reader may stop early, and the file may be removed meanwhile', async () => {
    await files.write(root, 'a.txt', new Uint8Array(300_000))
    const stream = await files.readStream(root, 'a.txt')
    await stream?.cancel()

    expect(await files.remove(root, 'a.txt')).toBe(true)
  })

  test('moves a file, also over another one', async () => {
    await files.write(root, 'a.txt', bytes('moved'))
    await files.write(root, 'b/there.txt', bytes('replaced'))

    expect(await files.move(root, 'a.txt', 'b/there.txt')).toBe(true)
    expect(await files.move(root, 'b/there.txt', 'new/folder/c.txt')).toBe(true)
    expect(text(await files.read(root, 'new/folder/c.txt'))).toBe('moved')
    expect(await files.stat(root, 'a.txt')).toBeNull()
    expect(await files.stat(root, 'b/there.txt')).toBeNull()
    expect(await files.move(root, 'new/folder/c.txt', 'new/folder/c.txt')).toBe(true)
    expect(text(await files.read(root, 'new/folder/c.txt'))).toBe('moved')
  })

  test('does not move a folder or a missing file, nor onto a folder', async () => {
    await files.write(root, 'folder/file.txt', bytes('x'))
    await files.write(root, 'a.txt', bytes('x'))

    expect(await files.move(root, 'nothing', 'there')).toBe(false)
    expect(await files.move(root, 'folder', 'there')).toBe(false)
    await expect(files.move(root, 'a.txt', 'folder')).rejects.toThrow(PathRefused)
    await expect(files.move(root, 'a.txt', 'folder/file.txt/more')).rejects.toThrow(PathRefused)
    await expect(files.writeStream(root, 'folder', pieces('x'))).rejects.toThrow(PathRefused)
    expect(text(await files.read(root, 'a.txt'))).toBe('x')
  })

  test.each([
    '.env',
    'a b.txt',
    'ünïcode',
    'CONSOLE',
    'nullable.txt',
    'com10',
    'a..b',
    '...a',
    '~',
    '-rf',
    '100%',
    'a%20b',
    "it's",
    'x'.repeat(255),
  ])('takes the name %j', async (name) => {
    await files.write(root, name, bytes('x'))

    expect((await files.list(root)).map(({ path }) => path)).toEqual([name])
  })

  describe.each(hostilePaths)('refuses the path %j', (path) => {
    test('for every operation', async () => {
      await expect(files.write(root, path, bytes('x'))).rejects.toThrow(PathRefused)
      await expect(files.read(root, path)).rejects.toThrow(PathRefused)
      await expect(files.stat(root, path)).rejects.toThrow(PathRefused)
      await expect(files.remove(root, path)).rejects.toThrow(PathRefused)
      await expect(files.writeStream(root, path, pieces('x'))).rejects.toThrow(PathRefused)
      await expect(files.readStream(root, path)).rejects.toThrow(PathRefused)
      await expect(files.change(root, path, async () => 0)).rejects.toThrow(PathRefused)
      await expect(files.move(root, path, 'b')).rejects.toThrow(PathRefused)
      await expect(files.move(root, 'a', path)).rejects.toThrow(PathRefused)
      if (path !== '') await expect(files.list(root, path)).rejects.toThrow(PathRefused)
    })
  })

  test.each(hostileRoots)('refuses the root %j', async (hostile) => {
    await expect(files.write(hostile, 'a', bytes('x'))).rejects.toThrow(PathRefused)
    await expect(files.read(hostile, 'a')).rejects.toThrow(PathRefused)
    await expect(files.list(hostile)).rejects.toThrow(PathRefused)
  })
}
