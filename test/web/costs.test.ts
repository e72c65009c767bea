import type { Page, Request } from 'playwright'
import { expect, test } from 'vitest'
import { settingsSections } from '../../web/app/settings-sections.ts'
import { startWire, text } from '../fixtures/wire/index.ts'
import { startUi } from './harness.ts'

const path = (href: string) => new URL(href, 'http://page').pathname

/** Pages with an id in the address differ in nothing that matters here: one of each kind is opened. */
const kindOf = (href: string) => path(href).replace(/_[0-9A-Za-z]{10,}/g, '_…')

/** The addresses of this program that a page links to. */
const linksOf = (page: Page): Promise<string[]> =>
  page.locator('a[href^="/"]').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))

test('opening the pages calls no vendor', async () => {
  await using wire = await startWire()
  await using ui = await startUi()
  const access = { api_key: 'sk-test-7f3a', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  await ui.api('POST', '/api/agents', { name: 'Marie', archetype: 'researcher' })
  const project = await ui.api<{ id: string }>('POST', '/api/projects', {
    name: 'A report',
    goal: 'Write a report about bees',
  })
  await ui.api('POST', '/api/loops', {
    name: 'Tidy',
    goal: 'Sort the notes',
    success_criteria: ['All sorted'],
  })
  const workflow = await ui.api<{ id: string }>('POST', '/api/workflows', { name: 'Untitled workflow' })
  await ui.api('POST', '/api/memory/episodes', { content: 'I take my tea without sugar' })
  await ui.api('POST', '/api/scheduler/jobs', {
    name: 'Briefing',
    goal: 'Say what is new',
    schedule: { type: 'cron', expression: '0 9 * * 1' },
  })
  wire.script(text('Mild, with rain.'))
  const asked = { message: 'How will the weather be?' }
  // The answer is a stream, no JSON, and is over when it has been read.
  await ui.api('POST', '/api/chat/messages/stream', asked).catch(() => undefined)
  const { length } = wire.requests

  const page = await ui.open('/chat')
  const pending = new Set<Request>()
  page.on('request', (request) => void pending.add(request))
  page.on('requestfailed', (request) => void pending.delete(request))
  page.on('response', (response) => void pending.delete(response.request()))
  const seen = new Set<string>()
  const queue = [
    ...['/', '/chat', '/agents/new', '/scheduler/new?when=whenever', '/hooks/outgoing', '/hooks/incoming'],
    ...[`/projects/${project.id}`, `/workflows/${workflow.id}`, '/memory/graph', '/memory/maintenance'],
    ...settingsSections.map(({ id }) => `/settings/${id}`),
  ]
  for (let href = queue.shift(); href !== undefined; href = queue.shift()) {
    if (seen.has(kindOf(href))) continue
    seen.add(kindOf(href))
    await page.goto(ui.daemon.url + href)
    await page.locator('main').waitFor()
    await expect.poll(() => pending.size).toBe(0)
    queue.push(...(await linksOf(page)).filter((link) => !/^\/(api|docs|device)\b/.test(link)))
    expect(wire.requests.slice(length), href).toEqual([])
  }
  expect(seen.size).toBeGreaterThan(50)
})

test('typing a schedule calls no vendor until the person asks for it', async () => {
  await using wire = await startWire({
    otherwise: text('{"schedule": {"type": "cron", "expression": "0 9 * * 1"}}'),
  })
  await using ui = await startUi()
  const access = { api_key: 'sk-test-7f3a', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  const { length } = wire.requests
  const page = await ui.open('/scheduler/new')
  await page.getByLabel('When to run').pressSequentially('when the cows come home, say nine')
  const ask = page.getByRole('button', { name: 'Ask the model' })
  await ask.waitFor()
  expect(wire.requests).toHaveLength(length)
  await ask.click()
  await page.getByText('Every Monday at 09:00').first().waitFor()
  expect(wire.requests).toHaveLength(length + 1)
})
