import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Job, ShownRun } from '../../runtime/scheduler/schema.ts'
import { refuse, type Wire } from '../fixtures/wire/index.ts'
import { startUiWithModel, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

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
