import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createKey } from '../../runtime/auth/keys.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { NewKey } from '../../runtime/auth/schema.ts'
import { type TestDaemon, testDaemon } from '../support/daemon.ts'
import { changeableServer, isRunning } from '../support/tool-servers.ts'

async function started(): Promise<{
  daemon: TestDaemon
  post(path: string, body?: unknown): Promise<Response>
}> {
  const daemon = await testDaemon()
  onTestFinished(() => daemon.close())
  const { key } = await createKey(localContext(daemon.host), NewKey.parse({ name: 'test', scopes: ['admin'] }))
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const post = (path: string, body: unknown = {}) =>
    fetch(`${daemon.url}/api/settings/skills/mcp${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
  return { daemon, post }
}

test('on a real daemon no file contains the environment, and no process is left behind', async () => {
  const { daemon, post } = await started()
  const server = changeableServer([{ name: 'say', description: 'x' }])
  const { command, args } = server
  const env = { API_TOKEN: 'canary-token-of-the-server' }
  const added = await post('', { name: 'example', transport: 'stdio', command, args, env })
  const { id } = (await added.json()) as { id: string }
  const connected = await post(`/${id}/connect`)
  expect(await connected.json()).toMatchObject({ status: 'connected', env_names: ['API_TOKEN'] })
  const pid = server.pid()
  expect(isRunning(pid)).toBe(true)

  const names = await readdir(daemon.data_dir, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files.length).toBeGreaterThan(1)
  for (const file of files) expect((await readFile(file)).includes('canary'), file).toBe(false)

  await daemon.close()
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 60_000 })
})

test('a second server with the same name is refused, even concurrently', async () => {
  const { post } = await started()
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/catalog/deepwiki/install')))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(19)
})
