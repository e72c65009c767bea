import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildUi, uiState } from '../../adapters/node/cli/ui-build.ts'

let top = ''
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'hearthd-ui-'))
  mkdirSync(join(top, 'web', 'dist'), { recursive: true })
})
afterEach(() => rmSync(top, { recursive: true }))

/** A file that was changed so many seconds after the first. */
function put(file: string, seconds: number): void {
  writeFileSync(join(top, file), '')
  utimesSync(join(top, file), seconds, seconds)
}

test('a UI without a build is built if its sources exist', () => {
  put('web/dist/index.html', 1)
  expect(uiState(top)).toBe('no sources')
  rmSync(join(top, 'web', 'dist', 'index.html'))
  put('web/index.html', 1)
  expect(uiState(top)).toBe('missing')
})

test('it is rebuilt when a source or a package has changed', () => {
  put('web/index.html', 1)
  put('web/page.tsx', 1)
  put('web/dist/index.html', 2)
  put('web/dist/page.css', 9)
  put('web/dist/complete', 2)
  expect(uiState(top)).toBe('current')
  put('web/page.tsx', 3)
  expect(uiState(top)).toBe('stale')
  put('web/page.tsx', 1)
  put('package-lock.json', 3)
  expect(uiState(top)).toBe('stale')
})

test('a build that was interrupted is not taken for a whole one', () => {
  put('web/index.html', 1)
  put('web/dist/index.html', 2)
  expect(uiState(top)).toBe('incomplete')
})

/** A stand-in for the build tool: writes one file, then ends as the script says. */
function putBuildTool(script: string): void {
  mkdirSync(join(top, 'node_modules', 'vite', 'bin'), { recursive: true })
  const write = `require('node:fs').writeFileSync(require('node:path').join(process.argv[7], 'index.html'), 'new')`
  writeFileSync(join(top, 'node_modules', 'vite', 'bin', 'vite.js'), `${write}\n${script}`)
}

test.each([
  ['is killed', "process.kill(process.pid, 'SIGKILL')"],
  ['fails', 'process.exit(1)'],
])('a build that %s leaves the previous one, and nothing else', async (_, script) => {
  put('web/index.html', 1)
  put('web/dist/complete', 2)
  put('web/dist/index.html', 2)
  putBuildTool(script)
  expect(await buildUi(top)).toBe(false)
  expect(readFileSync(join(top, 'web/dist/index.html'), 'utf8')).toBe('')
  expect(readdirSync(join(top, 'web')).sort()).toEqual(['dist', 'index.html'])
})

test('a build replaces the previous one when it is complete', async () => {
  put('web/index.html', 1)
  put('web/dist/old.js', 2)
  putBuildTool('')
  expect(await buildUi(top)).toBe(true)
  expect(uiState(top)).toBe('current')
  expect(readdirSync(join(top, 'web/dist')).sort()).toEqual(['complete', 'index.html'])
  expect(readdirSync(join(top, 'web')).sort()).toEqual(['dist', 'index.html'])
})
