import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../support/daemon-process.ts'

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a busy process ends when its parent is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-process-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const report = join(folder, 'pid')
  const parent = spawn(process.execPath, [join(import.meta.dirname, 'parent.ts'), report])
  const pid = await eventually(async () => {
    try {
      return Number(readFileSync(report, 'utf8')) || null
    } catch {
      return null
    }
  })
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await eventually(async () => (isRunning(pid) ? null : true))
})
