import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isUiStale } from '../../adapters/node/cli/serve.ts'

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
  expect(isUiStale(top)).toBe(false)
  put('web/index.html', 1)
  expect(isUiStale(top)).toBe(true)
})

test('it is rebuilt when a source or a package has changed', () => {
  put('web/index.html', 1)
  put('web/page.tsx', 1)
  put('web/dist/index.html', 2)
  put('web/dist/page.css', 9)
  expect(isUiStale(top)).toBe(false)
  put('web/page.tsx', 3)
  expect(isUiStale(top)).toBe(true)
  put('web/page.tsx', 1)
  put('package-lock.json', 3)
  expect(isUiStale(top)).toBe(true)
})
