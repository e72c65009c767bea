import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRepositories } from '../../../adapters/git/repositories.ts'
import type { Repositories } from '../../../runtime/ports/repositories.ts'

let base: string
let folder: string
let repositories: Repositories
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
const put = (path: string, text: string) => {
  fs.mkdirSync(join(folder, path, '..'), { recursive: true })
  fs.writeFileSync(join(folder, path), text)
}
const root = 'worktrees/task_1'
const copy = (path: string) => join(base, 'files', root, path)

beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hearthd-git-')))
  folder = join(base, 'work')
  fs.mkdirSync(folder)
  git('init', '-q', '-b', 'main')
  put('a.md', 'one\ntwo\nthree\n')
  put('.gitignore', 'secret\n')
  git('add', '-A')
  git('commit', '-qm', 'Begin')
  repositories = createRepositories(join(base, 'files'))
})
afterEach(() => fs.rmSync(base, { recursive: true }))

test('only the top of a work tree is a repository', async () => {
  fs.mkdirSync(join(folder, 'below'))
  const all = [folder, join(folder, 'below'), base, join(base, 'none')]
  expect(await Promise.all(all.map((path) => repositories.isRepository(path)))).toEqual([true, false, false, false])
})

test('a copy has uncommitted changes and new files, and none that git ignores; the repository stays as it is', async () => {
  put('a.md', 'one\r\ntwo, changed\nthree\n')
  put('new ü/b.md', 'new')
  put('secret', 'x')
  fs.symlinkSync('a.md', join(folder, 'link'))
  put('.gitattributes', '* text=auto eol=lf filter=bad\n')
  git('config', 'filter.bad.clean', `touch ${join(base, 'ran')}`)
  git('config', 'core.fsmonitor', `touch ${join(base, 'ran')}`)
  for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
    fs.writeFileSync(join(folder, '.git/hooks', hook), `#!/bin/sh\ntouch ${join(base, 'ran')}\n`, {
      mode: 0o755,
    })
  const before = fs.readFileSync(join(folder, '.git/index'))
  const state = await repositories.snapshot('p1', folder)
  await repositories.checkout('p1', root, state)

  expect(fs.readFileSync(copy('a.md'), 'utf8')).toBe('one\r\ntwo, changed\nthree\n')
  expect(fs.readFileSync(copy('new ü/b.md'), 'utf8')).toBe('new')
  expect(fs.existsSync(copy('secret'))).toBe(false)
  expect(fs.existsSync(copy('.git'))).toBe(false)
  expect(fs.existsSync(join(base, 'ran'))).toBe(false)
  expect(fs.readFileSync(join(folder, '.git/index'))).toEqual(before)
  expect(await repositories.store('p1', root)).toBe(state)
  expect(await repositories.snapshot('p1', folder)).toBe(state)
})

test('changes of both sides are merged, and a conflict has both sides', async () => {
  const first = await repositories.snapshot('p1', folder)
  await repositories.checkout('p1', root, first)
  fs.writeFileSync(copy('a.md'), 'one!\ntwo\nthree\n')
  fs.writeFileSync(copy('secret'), 'of the task')
  const yours = await repositories.store('p1', root)
  put('a.md', 'one\ntwo\nthree?\n')
  put('b.md', 'b')
  const others = await repositories.snapshot('p1', folder)
  const merged = await repositories.merge('p1', { base: first, others, yours })
  expect(merged.conflicts).toEqual([])
  const changes = await repositories.changes('p1', others, merged.state)
  expect(changes.map(({ path, before }) => [path, before === null])).toEqual([
    ['a.md', false],
    ['secret', true],
  ])
  const content = await repositories.read('p1', changes[0]?.after ?? '')
  expect(new TextDecoder().decode(content)).toBe('one!\ntwo\nthree?\n')

  put('a.md', 'ONE\ntwo\nthree\n')
  const other = await repositories.snapshot('p1', folder)
  const conflict = await repositories.merge('p1', { base: first, others: other, yours })
  expect(conflict.conflicts).toEqual(['a.md'])
  await repositories.checkout('p1', root, conflict.state)
  expect(fs.readFileSync(copy('a.md'), 'utf8')).toBe('<<<<<<< others\nONE\n=======\none!\n>>>>>>> yours\ntwo\nthree\n')
})

test('another state replaces only the files that differ, so that the others keep their times', async () => {
  put('same/b.md', 'b')
  put('gone/c.md', 'c')
  const first = await repositories.snapshot('p1', folder)
  await repositories.checkout('p1', root, first)
  const past = new Date('2026-01-05T09:00:00Z')
  for (const path of ['a.md', 'same/b.md']) fs.utimesSync(copy(path), past, past)
  put('a.md', 'changed')
  fs.rmSync(join(folder, 'gone'), { recursive: true })
  fs.writeFileSync(copy('left.md'), 'by somebody')
  await repositories.checkout('p1', root, await repositories.snapshot('p1', folder))
  expect(fs.readFileSync(copy('a.md'), 'utf8')).toBe('changed')
  expect(fs.statSync(copy('same/b.md')).mtime).toEqual(past)
  expect(fs.statSync(copy('a.md')).mtime).not.toEqual(past)
  expect(fs.readdirSync(copy('')).toSorted()).toEqual(['.gitignore', 'a.md', 'same'])
})

test('an index that a power cut has left broken is made again', async () => {
  const state = await repositories.snapshot('p1', folder)
  await repositories.checkout('p1', root, state)
  put('b.md', 'b')
  fs.writeFileSync(copy('c.md'), 'c')
  for (const name of ['folder', 'worktrees-task_1'])
    fs.writeFileSync(join(base, `files/repositories/p1/${name}.index`), '')
  const [others, yours] = [await repositories.snapshot('p1', folder), await repositories.store('p1', root)]
  const added = async (to: string) => (await repositories.changes('p1', state, to)).map(({ path }) => path)
  expect([await added(others), await added(yours)]).toEqual([['b.md'], ['c.md']])
})

test('files that are removed, or become folders, are followed, and locks that a crash has left are no obstacle', async () => {
  const first = await repositories.snapshot('p1', folder)
  fs.rmSync(join(folder, 'a.md'))
  put('a.md/inside', 'x')
  fs.writeFileSync(join(base, 'files/repositories/p1/folder.index.lock'), '')
  const second = await repositories.snapshot('p1', folder)
  const changes = await repositories.changes('p1', first, second)
  expect(changes.map(({ path, after }) => [path, after === null])).toEqual([
    ['a.md', true],
    ['a.md/inside', false],
  ])
  await repositories.commit('p1', second, 'Move')
  await repositories.commit('p1', second, 'Move')
  await expect(repositories.store('p1', 'worktrees/none')).rejects.toThrow('is gone')
  await repositories.remove('p1')
  expect(fs.existsSync(join(base, 'files/repositories/p1'))).toBe(false)
})
