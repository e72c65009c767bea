import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Job, ShownRun } from '../../runtime/scheduler/schema.ts'
import { refuse, startWire, type Wire } from '../fixtures/wire/index.ts'
import { startUi, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await wire.close()
})

test('a chat shows until when its turn waits for the provider, also after a reload', async () => {
  wire.script(refuse('rate_limit', { retry_after: '600' }))
  const schedule = { type: 'every', interval: 3_600 }
  const { id } = await ui.api<Job>('POST', '/api/scheduler/jobs', {
    name: 'Tea',
    goal: 'Say hello',
    schedule,
  })
  await ui.api('POST', `/api/scheduler/jobs/${id}/trigger`)
  const conversation = async () => {
    const { runs } = await ui.api<{ runs: ShownRun[] }>('GET', `/api/scheduler/jobs/${id}/runs`)
    return runs[0]?.conversation_id
  }
  await expect.poll(conversation).toBeTruthy()
  const page = await ui.open(`/chat/${await conversation()}`)
  const note = page.getByText(/^Waiting for the provider until .+\d:\d\d/)
  await note.waitFor()
  await page.reload()
  await note.waitFor()
  expect(await note.textContent()).not.toMatch(/\dT\d|Z\b/)
})
