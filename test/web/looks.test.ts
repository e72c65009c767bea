import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fail, startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, goTo, sidewaysOverflow, startUi, type Ui } from './harness.ts'

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
  await fillProjects()
  await fillLoops()
  await fillDevices()
  const access = { api_key: 'sk-test-7f3a', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  await ui.api('POST', '/api/providers/openai/test')
  for (const title of ['Holiday in Portugal', 'Tax return: what is missing?', 'Heating schedule for the winter'])
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
  const table = await ui.api<{ id: string }>('POST', '/api/tables', {
    name: 'Plants',
    description: 'What stands where, and when it gets water.',
    columns: [
      { name: 'Plant' },
      { name: 'Room' },
      { name: 'Litres', type: 'number' },
      { name: 'Watered', type: 'date' },
      { name: 'Likes sun', type: 'boolean' },
    ],
  })
  plants = table.id
  await ui.api('POST', `/api/tables/${plants}/insert`, {
    rows: [
      { Plant: 'Monstera', Room: 'Kitchen', Litres: 0.5, Watered: '2026-01-02', 'Likes sun': false },
      { Plant: 'Lemon tree', Room: 'Balcony', Litres: 2, Watered: '2026-01-04', 'Likes sun': true },
      { Plant: 'Fern', Room: 'Bathroom', Litres: 0.25, 'Likes sun': false },
    ],
  })
  await ui.api('POST', '/api/credentials', {
    name: 'Weather',
    test_url: 'https://weather.example/now',
    fields: { kind: 'header', name: 'X-API-Key', secret: 'Zk3vQ8mXr1TpW6yL' },
  })
  await ui.api('POST', '/api/auth/register', { username: 'charles', password: 'correct horse battery' })
  const prices = { 'model-a': { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
  await ui.api('PUT', '/api/providers/openai/prices', { prices })
  await ui.api('POST', '/api/monitoring/budgets', {
    scope: { kind: 'global' },
    window: 'month',
    limit_usd: 20,
  })
  await fillSchedule()
  await fillWorkflows()
  const content = '---\nname: water-the-plants\ndescription: Which plant wants how much, and when.\n---\nLook first.'
  await ui.api('POST', '/api/settings/skills/custom', { content })
  await ui.api('POST', '/api/settings/skills/mcp/catalog/deepwiki/install', {})
  wire.script(text('Mild, with rain in the afternoon.'))
  const answered = { message: 'How will the weather be?', model: 'openai/model-a' }
  // The answer is a stream, no JSON, and is over when it has been read.
  await ui.api('POST', '/api/chat/messages/stream', answered).catch(() => undefined)
  wire.script(toolCall('http_request', { method: 'POST', url: 'https://printer.example/jobs' }))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', {
    title: 'Print the report',
  })
  const message = { message: 'Print the report', conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
}

let job: string
let chain: string

let project: string

/** A project that the offline model has completed; called before there is another model. */
async function fillProjects(): Promise<void> {
  const description = '1. Write "Hello" to hello.txt\n2. Write "Bye" to bye.txt'
  const made = { name: 'Two letters', description, auto_approve_plan: true }
  project = (await ui.api<{ id: string }>('POST', '/api/projects', made)).id
  await ui.api('POST', `/api/projects/${project}/generate-plan`)
  const statusOf = async () => (await ui.api<{ status: string }>('GET', `/api/projects/${project}`)).status
  await vi.waitUntil(async () => (await statusOf()) === 'completed', { timeout: 60_000 })
}

let workflow: string

/** A workflow with a branch, as somebody has drawn it. */
async function fillWorkflows(): Promise<void> {
  const names = ['Start', 'Read the news', 'Only on workdays', 'Report'] as const
  const types = ['trigger.manual', 'http', 'condition', 'set']
  const params = [{}, { url: 'https://news.example' }, { expression: 'true' }, { values: { text: '=input.body' } }]
  const nodes = names.map((name, index) => ({
    id: `n${index}`,
    type: types[index],
    name,
    params: params[index],
    position: { x: index * 260, y: 0 },
  }))
  const edges = [0, 1, 2].map((index) => ({
    id: `e${index}`,
    source: `n${index}`,
    source_output: index === 2 ? 'true' : 'main',
    target: `n${index + 1}`,
  }))
  const made = { name: 'Morning report', description: 'What matters today.', tags: ['home'], nodes, edges }
  workflow = (await ui.api<{ id: string }>('POST', '/api/workflows', made)).id
}

let plants: string

let loop: string

/** A loop that waits for a verdict, made by the offline model. */
async function fillDevices(): Promise<void> {
  const { code } = await ui.api<{ code: string }>('POST', '/api/devices/pairing-codes', {})
  const about = { name: 'Kitchen tablet', platform: 'android', capabilities: ['notify', 'camera'] }
  await ui.api('POST', '/api/auth/device/pair', { code, ...about })
}

async function fillLoops(): Promise<void> {
  const made = {
    name: 'Invitation',
    goal: 'Write "Dear guests" to invitation.md',
    verification: { kind: 'human', spec: { question: 'Is this friendly enough?' } },
    budget: { tokens: 50_000 },
  }
  loop = (await ui.api<{ id: string }>('POST', '/api/loops', made)).id
  await ui.api('POST', `/api/loops/${loop}/start`)
  const statusOf = async () => (await ui.api<{ status: string }>('GET', `/api/loops/${loop}`)).status
  await vi.waitUntil(async () => (await statusOf()) === 'blocked', { timeout: 60_000 })
}

/** Jobs that have run, failed and are to come, and a chain of two. */
async function fillSchedule(): Promise<void> {
  const own = { goal: 'Sum up what came in overnight.', model: 'openai/model-a' }
  const add = (more: object) => ui.api<{ id: string }>('POST', '/api/scheduler/jobs', { ...own, ...more })
  const made = await Promise.all([
    add({ name: 'Morning briefing', schedule: { type: 'cron', expression: '30 7 * * 1-5' } }),
    add({ name: 'Watch the energy prices', schedule: { type: 'every', interval: 7_200 } }),
    add({ name: 'Week in review', schedule: { type: 'cron', expression: '0 16 * * 5' } }),
    add({ name: 'Renew the passport', schedule: { type: 'at', datetime: '2099-04-01T09:00:00Z' } }),
  ])
  const [first, second, third] = made.map(({ id }) => id)
  job = first ?? ''
  const jobs = [first, second, third]
  const edges = [
    { from: first, to: second, type: 'on_success' },
    { from: first, to: third, type: 'on_failure' },
  ]
  chain = (await ui.api<{ id: string }>('POST', '/api/scheduler/chains', { name: 'Start of the day', jobs, edges })).id
  await ui.api('POST', `/api/scheduler/jobs/${third}/pause`)
  wire.script(text('Three letters came in:\n\n- the **tax office**\n- the gas bill\n- an invitation'), fail(404))
  await ui.api('POST', `/api/scheduler/jobs/${first}/trigger`)
  await vi.waitUntil(async () => (await lastOf(first)) === 'succeeded', { timeout: 60_000 })
  await ui.api('POST', `/api/scheduler/jobs/${second}/trigger`)
  await vi.waitUntil(async () => (await lastOf(second)) === 'failed', { timeout: 60_000 })
}

const lastOf = async (id: string | undefined) =>
  (await ui.api<{ last_status: string | null }>('GET', `/api/scheduler/jobs/${id}`)).last_status

/** Each page, and what is there once it has its data. */
const pages = [
  { name: 'home', path: '/', ready: 'https://printer.example/jobs' },
  { name: 'inbox', path: '/inbox', ready: 'Edit input' },
  { name: 'projects', path: '/projects', ready: '2 of 2 tasks' },
  { name: 'project', path: () => `/projects/${project}`, ready: '2 of 2 tasks' },
  { name: 'project-new', path: '/projects/new', ready: 'What should be done?' },
  { name: 'loops', path: '/loops', ready: 'Iteration 1 of 20' },
  { name: 'loop', path: () => `/loops/${loop}`, ready: 'Is this friendly enough?' },
  { name: 'loop-new', path: '/loops/new', ready: 'What the agent should achieve' },
  { name: 'agents', path: '/agents', ready: 'Finds, reads and compares sources.' },
  { name: 'agent-new', path: '/agents/new', ready: 'Looks after machines, schedules and routines.' },
  { name: 'settings-profile', path: '/settings/profile', ready: 'Change password' },
  { name: 'settings-providers', path: '/settings/providers', ready: 'Ready' },
  { name: 'settings-spending', path: '/settings/spending', ready: 'Everything' },
  { name: 'settings-skills', path: '/settings/skills', ready: 'water-the-plants' },
  { name: 'settings-tool-servers', path: '/settings/tool-servers', ready: 'deepwiki' },
  { name: 'settings-credentials', path: '/settings/credentials', ready: 'X-API-Key' },
  { name: 'settings-permissions', path: '/settings/permissions', ready: 'No permissions yet' },
  { name: 'settings-features', path: '/settings/features', ready: 'Map of memory' },
  { name: 'settings-keys', path: '/settings/keys', ready: 'Backup script' },
  { name: 'settings-users', path: '/settings/users', ready: 'charles' },
  { name: 'settings-history', path: '/settings/history', ready: 'Changes' },
  { name: 'settings-storage', path: '/settings/storage', ready: 'Write-ahead log' },
  { name: 'settings-backup', path: '/settings/backup', ready: 'No backups yet' },
  { name: 'settings-audit', path: '/settings/audit', ready: 'Setup completed' },
  { name: 'scheduler', path: '/scheduler', ready: 'Week in review' },
  { name: 'scheduler-new', path: '/scheduler/new?when=every%20Friday%20at%204pm', ready: 'Week in review' },
  { name: 'scheduler-job', path: () => `/scheduler/${job}`, ready: '100 %' },
  { name: 'scheduler-runs', path: '/scheduler/runs', ready: 'Manual' },
  { name: 'scheduler-calendar', path: '/scheduler/calendar', ready: 'Today' },
  { name: 'scheduler-week', path: '/scheduler/calendar?by=week', ready: 'Watch the energy prices' },
  { name: 'scheduler-activity', path: '/scheduler/heatmap', ready: 'Your activity' },
  { name: 'scheduler-chain', path: () => `/scheduler/chains/${chain}`, ready: 'after Morning briefing' },
  { name: 'automations', path: '/automations', ready: 'Morning report' },
  { name: 'automation-runs', path: '/automations/runs', ready: 'Watch the energy prices' },
  { name: 'workflows', path: '/workflows', ready: 'Morning report' },
  { name: 'tables', path: '/tables', ready: 'Plants' },
  { name: 'table', path: () => `/tables/${plants}`, ready: 'Lemon tree' },
  { name: 'hooks', path: '/hooks', ready: 'No hooks yet' },
  { name: 'hooks-outgoing', path: '/hooks/outgoing', ready: 'No webhooks yet' },
  { name: 'hooks-incoming', path: '/hooks/incoming', ready: 'No addresses yet' },
  { name: 'devices', path: '/devices', ready: 'Capabilities need your approval' },
  { name: 'channels', path: '/channels', ready: 'No channels yet' },
  { name: 'channels-new', path: '/channels/new', ready: 'Create channel' },
  { name: 'workflow', path: () => `/workflows/${workflow}`, ready: 'Only on workdays' },
  { name: 'workflow-settings', path: () => `/workflows/${workflow}/settings`, ready: 'Input schema' },
  { name: 'monitor', path: '/monitor', ready: 'Events by hour' },
  { name: 'not-found', path: '/nowhere', ready: 'There is nothing here' },
] as const

const looks = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 }, rules: [] },
  // The same elements in other colours.
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 }, rules: ['color-contrast'] },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 }, rules: [] },
] as const

/** One page of the browser per look, which goes from address to address as a person does. */
async function look(page: Page, name: string, ready: string, rules: readonly string[]): Promise<void> {
  await page.getByText(ready).first().waitFor()
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await expectAccessible(page, [...rules])
  expect(await sidewaysOverflow(page)).toBe(0)
}

describe.each(looks)('$look', ({ look: suffix, rules, ...options }) => {
  let page: Page
  beforeAll(async () => {
    page = await ui.open('/nowhere', options)
  })
  afterAll(() => page.context().close())

  test.for(pages)('$name can be used by everybody', async ({ name, path, ready }) => {
    await goTo(page, typeof path === 'string' ? path : path())
    await look(page, `${name}-${suffix}`, ready, rules)
  })

  test('menus, pickers, dialogs and the palette are accessible while they are open', async () => {
    const own = await ui.open('/scheduler', options)
    await own.getByText('Week in review').waitFor()
    await own.keyboard.press('Control+k')
    await own.getByLabel('Find or do anything').fill('morning')
    await own.getByRole('button', { name: 'Ask “morning”' }).waitFor()
    await look(own, `open-palette-${suffix}`, 'Morning report', rules)
    await own.keyboard.press('Escape')
    await own.getByRole('button', { name: /^More/ }).first().click()
    await own.getByRole('menuitem').first().waitFor()
    await look(own, `open-menu-${suffix}`, 'Duplicate', rules)
    await own.keyboard.press('Escape')
    await goTo(own, '/scheduler/new')
    await own.getByRole('dialog').getByLabel('Task').waitFor()
    await look(own, `open-drawer-${suffix}`, 'Name', rules)
    await goTo(own, '/hooks/events')
    await own.getByRole('button', { name: 'New hook' }).click()
    await own.getByRole('dialog').getByLabel('Events').first().click()
    await look(own, `open-choices-${suffix}`, 'Every event', rules)
    await own.getByRole('dialog').getByLabel('Events').first().fill('run failed')
    await look(own, `open-picker-${suffix}`, 'Job run failed', rules)
    await own.context().close()
  })

  test('the login page is accessible', async () => {
    const stranger = await ui.open('/login', { ...options, signedIn: false })
    await look(stranger, `login-${suffix}`, 'Password', rules)
    await stranger.context().close()
  })

  test('the setup is accessible', async () => {
    const owner = await fresh.open('/setup', options)
    await look(owner, `setup-${suffix}`, 'Create the account', rules)
    await owner.context().close()
  })
})
