import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Conversation } from '../../runtime/chat/schema.ts'
import { fail, slow, startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { builtUi } from '../support/built-ui.ts'
import { type TestDaemon, testDaemon } from '../support/daemon.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let folder: string
let ui: Ui
let wire: Wire
let second: TestDaemon | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearthd-restart-'))
  ;[ui, wire] = await Promise.all([startUi({ env: { SERVICE_DATA_DIR: folder } }), startWire()])
  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await second?.close()
  await wire.close()
  await rm(folder, { recursive: true, force: true })
})

/** The service again, on the same port and with the same data. */
async function restart(): Promise<TestDaemon> {
  await ui.daemon.close()
  const env = { SERVICE_DATA_DIR: folder, SERVICE_PORT: String(ui.daemon.port) }
  return testDaemon({ env, web_folder: await builtUi() })
}

/** A line to the daemon that can be cut, as a network does it. */
async function startLine() {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(ui.daemon.port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const close = () => {
    server.close()
    cut()
  }
  return { url: `http://127.0.0.1:${port}`, cut, close }
}

test('a connection that breaks in mid-answer is resumed without losses or duplicates', async () => {
  const { id } = await ui.api<Conversation>('POST', '/api/chat/conversations', { model: 'openai/model-a' })
  const line = await startLine()
  const page = await ui.open('/chat')
  const session = await page.evaluate(() => localStorage.getItem('hearthd.session') ?? '')
  await page.addInitScript((kept) => localStorage.setItem('hearthd.session', kept), session)
  await page.goto(`${line.url}/chat/${id}`)
  wire.script(slow(['one ', 'two ', 'three ', 'four']))
  await page.getByRole('textbox', { name: 'Message' }).fill('Count')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  wire.release(2)
  const answer = page.getByRole('article').last()
  await answer.getByText('one two').waitFor()

  const again = page.waitForRequest((request) => /\/sessions\/.*\/stream$/.test(request.url()))
  line.cut()
  wire.release(1)
  expect(await (await again).headerValue('last-event-id')).toMatch(/^msg_\w+\.[\w-]+\.\d+$/)
  wire.release(1)
  await answer.getByText('one two three four', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
  line.close()
})

test('a provider that asks to wait is shown, and the wait can be cancelled', async () => {
  const { id } = await ui.api<Conversation>('POST', '/api/chat/conversations', { model: 'openai/model-a' })
  const page = await ui.open(`/chat/${id}`)
  wire.script(fail(429, { retry_after: '45' }))
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  const answer = page.getByRole('article').last()
  await answer.getByText('openai/model-a asks to wait 45 s; trying again after that').waitFor()
  await expectAccessible(page)
  await answer.getByRole('button', { name: 'Cancel' }).click()
  await answer.getByText('Stopped', { exact: true }).waitFor()
  await answer.getByText(/asks to wait/).waitFor({ state: 'detached' })
})

test('an answer that the limit of steps stopped is continued with a button', async () => {
  const agent = await ui.api<{ id: string }>('POST', '/api/agents', { name: 'Short', max_steps: 1 })
  const settings = { model: 'openai/model-b', agent_id: agent.id }
  const { id } = await ui.api<Conversation>('POST', '/api/chat/conversations', settings)
  const page = await ui.open(`/chat/${id}`)
  wire.script(toolCall('time', {}))
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('What time is it?')
  await field.press('Enter')
  await page.getByText('The limit of steps is reached').waitFor()
  wire.script(text('It is noon.'))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('article').last().getByText('It is noon.').waitFor()
  // A title may be asked for beside the answer.
  const asked = wire.requests.map(({ body }) => JSON.stringify(body))
  expect(asked.some((body) => body.includes('Continue where you stopped.'))).toBe(true)
})

test('an answer interrupted by a restart is marked, keeps its text and can be regenerated', async () => {
  // The other model is still to be left alone, as its provider asked in the test before.
  const { id } = await ui.api<Conversation>('POST', '/api/chat/conversations', { model: 'openai/model-b' })
  const page = await ui.open(`/chat/${id}`)
  wire.script(slow(['Half of ', 'the truth']), text('The whole truth.'))
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  wire.release(1)
  const answer = page.getByRole('article').last()
  await answer.getByText('Half of').waitFor()

  second = await restart()
  await answer.getByText('Interrupted', { exact: true }).waitFor()
  await answer.getByText('Half of').waitFor()
  await answer.getByRole('button', { name: 'Regenerate' }).click()
  await answer.getByText('The whole truth.').waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
})
