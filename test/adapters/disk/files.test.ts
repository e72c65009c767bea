import { execFile, fork } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDisk } from '../../../adapters/disk/files.ts'
import { bestWalk, type Walk } from '../../../adapters/disk/folder.ts'
import { type Files, PathRefused } from '../../../runtime/ports/files.ts'
import { filesContract } from '../../contracts/files.ts'

const root = 'workspaces/agent_01'
const bytes = (text: string) => new TextEncoder().encode(text)

let base: string
let outside: string
beforeEach(() => {
  base = fs.mkdtempSync(join(tmpdir(), 'hearthd-disk-'))
  outside = fs.mkdtempSync(join(tmpdir(), 'hearthd-outside-'))
  fs.writeFileSync(join(outside, 'secret.txt'), 'secret')
})
afterEach(() => {
  for (const folder of [base, outside]) fs.rmSync(folder, { recursive: true })
})

const inside = (...names: string[]) => join(base, root, ...names)
const mode = (path: string) => fs.statSync(path).mode & 0o777

function everythingBelow(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true }).map(String).sort()
}

/** Both ways where the system has both. */
const walks: Walk[] = bestWalk === 'held' ? ['held', 'checked'] : ['checked']

describe.each(walks)('with folders %s', (walk) => {
  let files: Files
  beforeEach(() => {
    files = createDisk(base, { walk })
  })

  filesContract(() => files)

  test('files and folders are accessible only to their owner', async () => {
    await files.write(root, 'deep/note.txt', bytes('x'))

    expect(mode(inside('deep', 'note.txt'))).toBe(0o600)
    expect([inside('deep'), inside(), join(base, 'workspaces')].map(mode)).toEqual([0o700, 0o700, 0o700])
  })

  test('a new file replaces a readable one and is private again', async () => {
    await files.write(root, 'a.txt', bytes('x'))
    fs.chmodSync(inside('a.txt'), 0o644)
    await files.write(root, 'a.txt', bytes('y'))

    expect(mode(inside('a.txt'))).toBe(0o600)
  })

  test('creates the top folder, which may be reached through a link', async () => {
    const link = join(outside, 'link')
    fs.symlinkSync(join(base), link)
    await createDisk(join(link, 'data', 'files'), { walk }).write(root, 'a.txt', bytes('x'))

    expect(fs.readFileSync(join(base, 'data', 'files', root, 'a.txt'), 'utf8')).toBe('x')
  })

  describe('a symbolic link is refused', () => {
    beforeEach(() => files.write(root, 'own.txt', bytes('own')))

    const refusedEverywhere = async (path: string) => {
      await expect(files.read(root, path)).rejects.toThrow(PathRefused)
      await expect(files.stat(root, path)).rejects.toThrow(PathRefused)
      await expect(files.write(root, path, bytes('x'))).rejects.toThrow(PathRefused)
      await expect(files.remove(root, path)).rejects.toThrow(PathRefused)
      expect(fs.readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
      expect(everythingBelow(outside)).toEqual(['secret.txt'])
    }

    test('as the file', async () => {
      fs.symlinkSync(join(outside, 'secret.txt'), inside('link.txt'))
      await refusedEverywhere('link.txt')
    })

    test('as the file, even if it leads nowhere or stays inside', async () => {
      fs.symlinkSync(join(outside, 'new.txt'), inside('dangling.txt'))
      fs.symlinkSync('own.txt', inside('near.txt'))
      await refusedEverywhere('dangling.txt')
      await refusedEverywhere('near.txt')
    })

    test('as a parent folder', async () => {
      fs.symlinkSync(outside, inside('link'))
      await refusedEverywhere('link/secret.txt')
      await refusedEverywhere('link/new/deep.txt')
      await expect(files.list(root, 'link')).rejects.toThrow(PathRefused)
    })

    test('as the root or above it', async () => {
      fs.symlinkSync(outside, join(base, 'workspaces', 'agent_02'))
      fs.symlinkSync(outside, join(base, 'other'))

      await expect(files.read('workspaces/agent_02', 'secret.txt')).rejects.toThrow(PathRefused)
      await expect(files.write('other/agent', 'a.txt', bytes('x'))).rejects.toThrow(PathRefused)
      await expect(files.list('other')).rejects.toThrow(PathRefused)
    })

    test('but omitted from lists, and removed with its folder without its target', async () => {
      fs.mkdirSync(inside('folder'))
      fs.symlinkSync(outside, inside('folder', 'link'))
      fs.symlinkSync(join(outside, 'secret.txt'), inside('folder', 'link.txt'))

      expect(await files.list(root, 'folder')).toEqual([])
      expect(await files.remove(root, 'folder')).toBe(true)
      expect(everythingBelow(outside)).toEqual(['secret.txt'])
    })
  })

  test('pipes and sockets are not files, and reading one does not block', async () => {
    await files.write(root, 'a.txt', bytes('x'))
    await promisify(execFile)('mkfifo', [inside('pipe')])

    expect(await files.read(root, 'pipe')).toBeNull()
    expect(await files.stat(root, 'pipe')).toBeNull()
    await expect(files.write(root, 'pipe', bytes('x'))).rejects.toThrow(PathRefused)
    expect((await files.list(root)).map(({ path }) => path)).toEqual(['a.txt'])
  })

  test('a failed write leaves the old file and nothing else', async () => {
    await files.write(root, 'a.txt', bytes('old'))

    await expect(files.write(root, 'a.txt', {} as Uint8Array)).rejects.toThrow()
    expect(fs.readFileSync(inside('a.txt'), 'utf8')).toBe('old')
    expect(everythingBelow(inside())).toEqual(['a.txt'])
  })

  test('leftovers of a crash are not listed, and are removed once they are old', async () => {
    await files.write(root, 'a.txt', bytes('x'))
    const [fresh, old] = ['a', 'b'].map((digit) => inside(`.hearthd-${digit.repeat(24)}.tmp`)) as [string, string]
    fs.writeFileSync(fresh, 'half')
    fs.writeFileSync(old, 'half')
    fs.utimesSync(old, new Date(0), new Date(0))

    expect((await files.list(root)).map(({ path }) => path)).toEqual(['a.txt'])
    expect([fs.existsSync(fresh), fs.existsSync(old)]).toEqual([true, false])
  })

  test('no folder is left open', async () => {
    const open = () => fs.readdirSync('/dev/fd').length
    await files.write(root, 'deep/a.txt', bytes('x'))
    const before = open()
    for (let round = 0; round < 20; round += 1) {
      await files.write(root, 'deep/a.txt', bytes('x'))
      await files.list(root, 'missing')
      await files.read(root, 'deep/a.txt/more')
      await files.write(root, 'deep', bytes('x')).catch(() => undefined)
    }

    expect(open()).toBeLessThanOrEqual(before + 2)
  })
})

test('a folder that is constantly swapped for a link never leads outside', async () => {
  const files = createDisk(base)
  await files.write(root, 'sub/secret.txt', bytes('ours'))
  const stop = join(base, 'stop')
  const attacker = fork(join(import.meta.dirname, 'attacker.mjs'), [inside(), outside, stop])
  const ended = new Promise((resolve) => attacker.once('exit', resolve))
  const outcomes = { done: 0, refused: 0 }
  const read = new Set<string>()

  for (let round = 0; round < 3000 && (round < 600 || outcomes.refused === 0 || outcomes.done === 0); round += 1) {
    const attempts = await Promise.allSettled([
      files.write(root, 'sub/secret.txt', bytes('ours')),
      files.read(root, 'sub/secret.txt').then((found) => found && read.add(new TextDecoder().decode(found))),
      files.write(root, `sub/new/${round % 7}.txt`, bytes('x')),
      files.remove(root, 'sub/new'),
    ])
    for (const { status } of attempts) outcomes[status === 'fulfilled' ? 'done' : 'refused'] += 1
  }
  fs.writeFileSync(stop, '')
  await ended

  expect(outcomes.done).toBeGreaterThan(0)
  expect(outcomes.refused).toBeGreaterThan(0)
  expect([...read]).toEqual(['ours'])
  expect(everythingBelow(outside)).toEqual(['secret.txt'])
  expect(fs.readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
  expect(everythingBelow(inside()).filter((path) => path.endsWith('.tmp'))).toEqual([])
})
