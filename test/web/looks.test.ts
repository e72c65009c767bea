import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWire, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let fresh: Ui
let wire: Wire
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;[ui, fresh, wire] = await Promise.all([startUi(), startUi({ setUp: false }), startWire()])
  await fillHouse()
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await fresh[Symbol.asyncDispose]()
  await wire.close()
})

/** Pages with something on them, as somebody would see them after a week. */
async function fillHouse(): Promise<void> {
  const access = { api_key: 'sk-test-7f3a', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  await ui.api('POST', '/api/providers/openai/test')
  for (const title of [
    'Holiday in Portugal',
    'Tax return: what is missing?',
    'Heating schedule for the winter',
  ])
    await ui.api('POST', '/api/chat/conversations', { title })
  for (const agent of [
    {
      name: 'Marie',
      description: 'Finds, reads and compares sources.',
      archetype: 'researcher',
      avatar: '🔬',
    },
    { name: 'House', description: 'Heating, lights and shutters.', execution_mode: 'auto', enabled: false },
  ])
    await ui.api('POST', '/api/agents', agent)
  await ui.api('POST', '/api/auth/keys', {
    name: 'Backup script',
    description: 'Runs at night',
    scopes: ['read'],
  })
  await ui.api('POST', '/api/auth/register', { username: 'charles', password: 'correct horse battery' })
  wire.script(toolCall('http_request', { method: 'POST', url: 'https://printer.example/jobs' }))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', {
    title: 'Print the report',
  })
  const message = { message: 'Print the report', conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
}

/** Each page, and what is there once it has its data. */
const pages = [
  { name: 'home', path: '/', ready: 'https://printer.example/jobs' },
  { name: 'agents', path: '/agents', ready: 'Finds, reads and compares sources.' },
  { name: 'agent-new', path: '/agents/new', ready: 'Looks after machines, schedules and routines.' },
  { name: 'settings-profile', path: '/settings/profile', ready: 'Change the password' },
  { name: 'settings-providers', path: '/settings/providers', ready: 'Ready' },
  { name: 'settings-keys', path: '/settings/keys', ready: 'Backup script' },
  { name: 'settings-users', path: '/settings/users', ready: 'charles' },
  { name: 'settings-audit', path: '/settings/audit', ready: 'setup.completed' },
  { name: 'not-found', path: '/nowhere', ready: 'There is nothing here' },
  { name: 'login', path: '/login', ready: 'Password', signedIn: false },
] as const

const looks = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 }, rules: [] },
  // The same elements in other colours.
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 }, rules: ['color-contrast'] },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 }, rules: [] },
] as const

for (const { look, rules, ...options } of looks) {
  test.for(pages)(`$name can be used by everybody, ${look}`, async ({ name, path, ready, ...rest }) => {
    const page = await ui.open(path, { ...options, ...rest })
    await page.getByText(ready).first().waitFor()
    await page.evaluate(() => document.fonts.ready)
    await page.screenshot({ path: join(folder, `${name}-${look}.png`) })

    await expectAccessible(page, [...rules])
    expect(await sidewaysOverflow(page)).toBe(0)
    await page.context().close()
  })

  test(`the first run can be used by everybody, ${look}`, async () => {
    const page = await fresh.open('/setup', options)
    await page.getByText('Create the account').waitFor()
    await page.screenshot({ path: join(folder, `setup-${look}.png`) })

    await expectAccessible(page, [...rules])
    expect(await sidewaysOverflow(page)).toBe(0)
    await page.context().close()
  })
}
