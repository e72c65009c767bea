import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDisk } from '../../adapters/disk/files.ts'
import * as files from '../../handlers/projects/files.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { securitySettings } from '../../runtime/auth/security.ts'
import type { Host } from '../../runtime/host.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { call } from '../support/call.ts'
import { toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { approved, createProject, plannedProject, planStep, projectHost, shown } from './kit.ts'

let base: string
let work: string
beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hearthd-folder-')))
  work = join(base, 'allowed', 'work')
  fs.mkdirSync(work, { recursive: true })
  fs.mkdirSync(join(base, 'data'))
  fs.writeFileSync(join(base, 'secret.txt'), 'secret')
})
afterEach(() => fs.rmSync(base, { recursive: true }))

const step = planStep({ a: { title: 'Write the guide' } })

async function folderHost(allowed = [join(base, 'allowed')]) {
  const disk = createDisk(join(base, 'data', 'files'), { private_folder: join(base, 'data') })
  const made = await projectHost(
    step,
    ({ messages }, asked) =>
      asked.startsWith('Write the guide') && messages.every(({ role }) => role !== 'tool')
        ? toolCall('files', { action: 'append', path: 'guide.md', content: 'Boil water.' })
        : undefined,
    { files: disk },
  )
  await allow(made.host, allowed)
  return made
}

const allow = (host: Host, allowed_paths: string[]) =>
  changeSection(localContext(host), securitySettings, { allowed_paths })

test('a project works in a folder of the machine, which stays when the project is deleted', async () => {
  const { host } = await folderHost()
  fs.writeFileSync(join(work, 'guide.md'), 'Tea.\n', { mode: 0o755 })
  fs.chmodSync(join(work, 'guide.md'), 0o755)
  fs.writeFileSync(join(work, 'a:b.txt'), 'a name that other systems refuse')
  const done = await approved(host, (await plannedProject(host, { path: work })).id)

  expect(done).toMatchObject({ status: 'completed', path: work })
  expect(fs.readFileSync(join(work, 'guide.md'), 'utf8')).toBe('Tea.\nBoil water.\n')
  expect(fs.statSync(join(work, 'guide.md')).mode & 0o777).toBe(0o755)
  const listed = await (await call(files.outputFiles, host, { params: { id: done.id } })).json()
  expect(listed.files).toMatchObject([{ path: 'guide.md', task_ids: [done.tasks[0]?.id] }])
  const zip = await call(files.download, host, { params: { id: done.id } })
  expect((await zip.arrayBuffer()).byteLength).toBeGreaterThan(50)

  await call(projects.remove, host, { params: { id: done.id } })
  expect(fs.existsSync(join(work, 'guide.md'))).toBe(true)
})

test.each([
  ['outside the allowed folders', () => base, 'is outside the allowed folders'],
  ['below a link that leads outside', () => linked(), 'is outside the allowed folders'],
  ['with dots', () => join(base, 'allowed', '..'), 'is outside the allowed folders'],
  ['a similar name', () => made(`${join(base, 'allowed')}2`), 'is outside the allowed folders'],
  ['the data folder', () => join(base, 'data'), "contains hearthd's own data"],
  ['a missing folder', () => join(base, 'allowed', 'none'), 'does not exist'],
  ['a file', () => join(base, 'allowed', 'file'), 'does not exist'],
  ['a missing folder elsewhere', () => join(base, 'none'), 'is outside the allowed folders'],
  ['a relative path', () => 'allowed/work', 'must be an absolute path'],
])('a path %s is refused', async (_, path, message) => {
  const { host } = await folderHost([join(base, 'allowed'), join(base, 'data')])
  const refused = await call(projects.create, host, { body: { name: 'Tea', path: path() } })
  expect(refused.status).toBe(422)
  expect((await refused.json()).issues[0]).toMatchObject({
    path: 'path',
    message: expect.stringContaining(message),
  })
})

function linked(): string {
  fs.symlinkSync(base, join(base, 'allowed', 'link'))
  return join(base, 'allowed', 'link')
}

function made(path: string): string {
  fs.mkdirSync(path)
  return path
}

test('nothing outside the folder can be read, by dots or by links', async () => {
  const { host } = await folderHost()
  fs.symlinkSync(join(base, 'secret.txt'), join(work, 'link.txt'))
  const { id } = await createProject(host, { path: work })
  for (const path of ['../../secret.txt', 'link.txt', `${base}/secret.txt`])
    expect((await call(files.raw, host, { params: { id }, query: { path } })).status).toBe(400)
  expect(await (await call(files.outputFiles, host, { params: { id } })).json()).toEqual({
    files: [],
    count: 0,
  })
})

test('while the folder is missing or not allowed, nothing starts, and the project says why', async () => {
  const { host } = await folderHost()
  const { id } = await plannedProject(host, { path: work })
  fs.renameSync(work, `${work}-moved`)
  const refused = await call(projects.approve, host, { params: { id } })
  expect([refused.status, (await refused.json()).message]).toEqual([
    409,
    `The folder ${work} does not exist; restore it, then try again`,
  ])
  expect((await shown(host, id)).status).toBe('pending')

  // A link in its place leads elsewhere.
  fs.symlinkSync(base, work)
  expect((await call(files.outputFiles, host, { params: { id } })).status).toBe(409)
  fs.unlinkSync(work)
  fs.renameSync(`${work}-moved`, work)

  expect((await call(projects.approve, host, { params: { id } })).status).toBe(200)
  fs.renameSync(work, `${work}-moved`)
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({
    status: 'running',
    error: expect.stringContaining('does not exist'),
    tasks: [{ status: 'pending', attempts: 0 }],
  })
  fs.renameSync(`${work}-moved`, work)
  await host.clock.advance(5_000)
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'completed', error: null })
})
