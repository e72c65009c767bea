import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDisk } from '../../adapters/disk/files.ts'
import * as loops from '../../handlers/loops/loops.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { securitySettings } from '../../runtime/auth/security.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { call } from '../support/call.ts'
import { act, loopHost, newLoop, notYet, ran, shown, writer } from './kit.ts'

let base: string
let work: string
beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hearthd-loop-')))
  work = join(base, 'allowed', 'work')
  fs.mkdirSync(work, { recursive: true })
})
afterEach(() => fs.rmSync(base, { recursive: true }))

async function folderHost(...[verdicts, script]: Parameters<typeof loopHost>) {
  const files = createDisk(join(base, 'data', 'files'), { private_folder: join(base, 'data') })
  const made = await loopHost(verdicts, script, { files })
  await changeSection(localContext(made.host), securitySettings, { allowed_paths: [join(base, 'allowed')] })
  return made
}

const check = {
  kind: 'command' as const,
  spec: { language: 'javascript' as const, code: "return input.files['2.txt'] === 'tea 2'" },
}

test('a loop works in a folder of the machine, and its check reads it', async () => {
  const { host } = await folderHost([], writer())
  const loop = await ran(host, { workspace_path: work, verification: check })

  expect(loop).toMatchObject({ status: 'completed', iteration: 2, workspace_path: work })
  expect(fs.readdirSync(work)).toEqual(['1.txt', '2.txt'])
  await call(loops.remove, host, { params: { id: loop.id } })
  expect(fs.readdirSync(work)).toEqual(['1.txt', '2.txt'])
})

test('another folder is refused, and so is a start in one that is gone', async () => {
  const { host } = await folderHost([notYet], writer())
  const body = { goal: 'Brew tea', workspace_path: base }
  const refused = await call(loops.create, host, { body })
  expect(refused.status).toBe(422)
  expect((await refused.json()).issues).toMatchObject([
    { path: 'workspace_path', message: expect.stringContaining('outside the allowed folders') },
  ])

  const { id } = await newLoop(host, { workspace_path: work })
  fs.rmdirSync(work)
  const response = await act(host, id, 'start')
  expect(response.status).toBe(409)
  expect((await response.json()).message).toContain('does not exist; restore it')
  expect(await shown(host, id)).toMatchObject({ status: 'draft' })
})
