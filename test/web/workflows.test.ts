import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Workflow } from '../../runtime/workflows/schema.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const screenshots = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
beforeAll(async () => {
  ui = await startUi({ env: { SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1' } })
})
afterAll(() => ui[Symbol.asyncDispose]())

const node = (id: string, type: string, x: number, params: object = {}) => ({
  id,
  type,
  name: id,
  position: { x, y: 0 },
  params,
})

const edge = (source: string, source_output: string, target: string) => ({
  id: `${source}-${source_output}-${target}`,
  source,
  source_output,
  target,
})

/** A workflow with a condition, made through the API. */
const greeting = (name: string, more: object = {}) =>
  ui.api<Workflow>('POST', '/api/workflows', {
    name,
    nodes: [
      node('start', 'trigger.manual', 0),
      node('greet', 'set', 260, { values: { text: 'Hello {{ input.name }}' } }),
      node('check', 'condition', 520, { expression: 'input.text = "Hello Ada"' }),
      node('known', 'set', 780, { values: { known: true } }),
    ],
    edges: [edge('start', 'main', 'greet'), edge('greet', 'main', 'check'), edge('check', 'true', 'known')],
    ...more,
  })

/** A node whose label begins with this: its name, type, status and problem. */
const nodeNamed = (page: Page, label: string) => page.locator(`.react-flow__node[aria-label^="${label}"]`)

const focused = (page: Page) => page.locator('.react-flow__node:focus')

/** Adds a node with the keyboard alone: `/` focuses the palette. */
async function add(page: Page, text: string): Promise<void> {
  await page.getByLabel('Add a node').focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

test('a workflow drawn with the keyboard alone is saved and runs', async () => {
  const page = await ui.open('/workflows')
  await page.getByText('No workflows yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New workflow' }).press('Enter')
  await page.getByText('Add a trigger from the list').waitFor()
  await page.locator('body').press('/')
  await page.keyboard.type('manual')
  await page.keyboard.press('Enter')
  await nodeNamed(page, 'Manual start').waitFor()
  await add(page, 'set fields')
  const set = nodeNamed(page, 'Set fields')
  await set.waitFor()
  await add(page, 'if')
  await nodeNamed(page, 'If').waitFor()
  await add(page, 'merge')
  await nodeNamed(page, 'Merge').waitFor()

  // From the first node by arrows to the second, whose form Enter opens.
  await nodeNamed(page, 'Manual start').focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => focused(page).getAttribute('aria-label')).toMatch(/^Set fields/)
  await page.keyboard.press('Enter')
  const form = page.getByRole('complementary', { name: 'Set fields' })
  await expect
    .poll(() => form.getByLabel('Name', { exact: true }).evaluate((field) => field === document.activeElement))
    .toBe(true)
  await form.getByRole('button', { name: 'Add value' }).press('Enter')
  await form.getByLabel('Name 1').focus()
  await page.keyboard.type('answer')
  await page.keyboard.press('Tab')
  await page.keyboard.type('=40 + 2')
  await page.keyboard.press('Escape')
  await expect.poll(() => focused(page).getAttribute('aria-label')).toMatch(/^Set fields/)

  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  const condition = page.getByRole('complementary', { name: 'If' })
  await condition.getByLabel('Expression').focus()
  await page.keyboard.type('input.answer = 42')
  await page.keyboard.press('Escape')
  // The output "true" was connected when the node was added; the other one is connected from the menu of the keyboard.
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'Connect If' })
  await dialog.getByLabel('Output').selectOption({ label: 'False' })
  await dialog.getByLabel('To').selectOption({ label: 'Merge' })
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save and run' }).press('Enter')
  const execution = page.getByRole('region', { name: 'Execution', exact: true })
  await execution.getByText('Succeeded').waitFor()
  await nodeNamed(page, 'Merge, Succeeded').waitFor()

  await nodeNamed(page, 'Set fields').focus()
  await page.keyboard.press('Enter')
  await form.getByLabel('Value in the last run').getByText('42').waitFor()
  const output = page.getByRole('region', { name: 'Output' })
  await output.getByRole('columnheader', { name: 'answer' }).waitFor()
  await output.getByText('JSON', { exact: true }).click()
  await output.getByText('"answer": 42').waitFor()
  await expectAccessible(page)
  expect(ui.complaints).toEqual([])
})

test('delete, undo, redo, copy, paste and moving work on the focused node', async () => {
  const { id } = await greeting('Copies')
  const page = await ui.open(`/workflows/${id}`)
  const nodes = page.locator('.react-flow__node')
  await expect.poll(() => nodes.count()).toBe(4)
  await nodeNamed(page, 'check').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Delete')
  await expect.poll(() => nodes.count()).toBe(3)
  await page.getByText('Unsaved changes').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => nodes.count()).toBe(4)
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect.poll(() => nodes.count()).toBe(3)
  await nodeNamed(page, 'start').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Control+z')
  await expect.poll(() => nodes.count()).toBe(4)
  await page.keyboard.press('Control+c')
  await page.keyboard.press('Control+v')
  await nodeNamed(page, 'greet 2').waitFor()
  await expect.poll(() => focused(page).getAttribute('aria-label')).toMatch(/^greet 2/)
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Control+d')
  await nodeNamed(page, 'greet 3').waitFor()
  await page.getByRole('button', { name: 'Arrange nodes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The workflow was saved').waitFor()
  expect((await ui.api<Workflow>('GET', `/api/workflows/${id}`)).nodes).toHaveLength(6)
  // Unsaved changes survive a reload.
  await nodeNamed(page, 'greet 3').click({ position: { x: 60, y: 10 } })
  await page.keyboard.press('Delete')
  await page.waitForFunction((key) => Object.keys(sessionStorage).some((one) => one.endsWith(key)), `.workflow.${id}`)
  await page.reload()
  await page.getByText('Unsaved changes').waitFor()
  await expect.poll(() => nodes.count()).toBe(5)
})

test('with the mouse: drag from the palette, connect, and see what is not valid yet', async () => {
  const { id } = await ui.api<Workflow>('POST', '/api/workflows', { name: 'By mouse' })
  const page = await ui.open(`/workflows/${id}`)
  const canvas = page.getByRole('region', { name: 'Canvas' })
  await page.getByRole('button', { name: 'Manual start' }).dragTo(canvas, { targetPosition: { x: 150, y: 200 } })
  await page.getByRole('complementary', { name: 'Manual start' }).getByRole('button', { name: 'Close node' }).click()
  await page.getByRole('button', { name: 'HTTP request' }).dragTo(canvas, { targetPosition: { x: 450, y: 200 } })
  const request = nodeNamed(page, 'HTTP request')
  await page.getByRole('complementary', { name: 'HTTP request' }).getByRole('button', { name: 'Close node' }).click()
  await page.getByRole('button', { name: 'Fit View' }).click()
  const colorOf = (label: string) =>
    nodeNamed(page, label)
      .locator('[data-problem]')
      .evaluate((shown) => getComputedStyle(shown).borderTopColor)
  expect(await colorOf('Manual start')).not.toBe(await colorOf('HTTP request'))
  const from = nodeNamed(page, 'Manual start').locator('.react-flow__handle-right')
  await from.dragTo(request.locator('.react-flow__handle-left'))
  await page.locator('.react-flow__edge').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Save and run' }).click()
  await page.getByRole('alert').getByText('HTTP request → URL is required').waitFor()
  await page.getByRole('button', { name: '1 problem' }).click()
  await page.getByRole('menuitem', { name: 'HTTP request → URL is required' }).click()
  const form = page.getByRole('complementary', { name: 'HTTP request' })
  await form
    .getByText(/required|must/i)
    .first()
    .waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Actions for HTTP request' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await request.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(async () => (await ui.api<Workflow>('GET', `/api/workflows/${id}`)).nodes.length).toBe(1)
})

test('runs with input, pins an output, runs from a node, and compares and restores versions', async () => {
  const { id } = await greeting('Versions', {
    input_schema: { type: 'object', properties: { name: { type: 'string' } } },
  })
  const page = await ui.open(`/workflows/${id}`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Ada')
  await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click()
  await page.getByRole('region', { name: 'Execution', exact: true }).getByText('Succeeded').waitFor()
  await nodeNamed(page, 'known, Set fields, Succeeded').waitFor()
  await page.getByRole('button', { name: 'Actions for greet' }).click()
  await page.getByRole('menuitem', { name: 'Pin output' }).click()
  await page.getByRole('button', { name: 'Actions for check' }).click()
  await page.getByRole('menuitem', { name: 'Run from here' }).click()
  await expect
    .poll(async () => (await ui.api<{ total: number }>('GET', `/api/workflows/${id}/executions`)).total)
    .toBe(2)
  await page.getByRole('region', { name: 'Execution', exact: true }).getByText('Succeeded').waitFor()

  await page.getByRole('link', { name: 'Versions' }).click()
  await page.getByText('Version 1 to 2').waitFor()
  await page.getByText('"Hello Ada"').first().waitFor()
  await expectAccessible(page)
  await page.getByLabel('Show').selectOption('1')
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByText('The version was restored').waitFor()
  expect(await ui.api<Workflow>('GET', `/api/workflows/${id}`)).toMatchObject({ version: 3, pin_data: {} })

  await page.getByRole('link', { name: 'Executions' }).click()
  const executions = page.getByRole('region', { name: 'Executions' }).getByRole('article')
  await expect.poll(() => executions.count()).toBe(2)
  await page.getByLabel('Status').selectOption('failed')
  await page.getByText('No executions').waitFor()
  await page.getByLabel('Status').selectOption('succeeded')
  await executions.first().getByRole('button', { name: 'Run again with the same input' }).click()
  await page.getByRole('region', { name: 'Execution', exact: true }).getByText('Succeeded').waitFor()

  await page.getByRole('link', { name: 'Settings' }).last().click()
  await page.getByLabel('Name', { exact: true }).fill('Greetings')
  await page.getByLabel('If the workflow is triggered while it is running').selectOption('queued')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(() => ui.api<Workflow>('GET', `/api/workflows/${id}`))
    .toMatchObject({ name: 'Greetings', settings: { mode: 'queued' } })
})

test('the palette is searched, and schedules, agents, workflows and channels are chosen by name', async () => {
  const { id: child } = await greeting('Child')
  const { id } = await ui.api<Workflow>('POST', '/api/workflows', {
    name: 'Chosen',
    nodes: [
      node('daily', 'trigger.schedule', 0, { schedule: { type: 'every', interval: 3_600 } }),
      node('message', 'trigger.channel', 0),
      node('ask', 'agent', 260, { prompt: 'Hello' }),
      node('sub', 'sub_workflow', 520, { workflow_id: child }),
    ],
    edges: [edge('daily', 'main', 'ask'), edge('ask', 'main', 'sub')],
  })
  const page = await ui.open(`/workflows/${id}`)
  const search = page.getByLabel('Add a node')
  await search.fill('nothing like it')
  await page.getByText('No matching nodes').waitFor()
  await search.fill('merge')
  const types = page.getByRole('navigation', { name: 'Node types' }).getByRole('button')
  await expect.poll(() => types.allTextContents()).toEqual(['Merge', 'Parallel'])
  await search.fill('')

  const opened = async (name: string) => {
    await nodeNamed(page, name).focus()
    await page.keyboard.press('Enter')
    return page.getByRole('complementary', { name })
  }
  const daily = await opened('daily')
  await daily.getByRole('combobox', { name: 'Unit' }).click()
  await page.getByRole('option', { name: 'days' }).click()
  const ask = await opened('ask')
  await ask.getByRole('combobox', { name: 'Agent' }).waitFor()
  const sub = await opened('sub')
  await expect.poll(() => sub.getByRole('combobox', { name: 'Workflow' }).inputValue()).toBe('Child')
  const message = await opened('message')
  await message.getByLabel('Channel').first().waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(async () => (await ui.api<Workflow>('GET', `/api/workflows/${id}`)).nodes[0]?.params)
    .toEqual({ schedule: expect.objectContaining({ type: 'every', interval: 86_400 }) })
})

test('a failed execution says where and why, and is retried from there', async () => {
  const { id } = await greeting('Failing', {
    nodes: [node('start', 'trigger.manual', 0), node('list', 'set', 260, { values: { n: '=$error("No list")' } })],
    edges: [edge('start', 'main', 'list')],
  })
  const page = await ui.open('/workflows')
  const row = page.getByRole('article', { name: 'Failing' })
  await row.getByRole('button', { name: 'Run Failing' }).click()
  await page.getByRole('alert').getByText('list failed').waitFor()
  await nodeNamed(page, 'list, Set fields, Failed').waitFor()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect
    .poll(async () => (await ui.api<{ total: number }>('GET', `/api/workflows/${id}/executions`)).total)
    .toBe(2)

  await page.getByRole('link', { name: 'Executions' }).click()
  const executions = page.getByRole('region', { name: 'Executions' })
  await executions.getByText('list: ').first().waitFor()
  await page.getByLabel('Search by error or id').fill('another error')
  await executions.getByText('No executions').waitFor()
  await page.getByLabel('Search by error or id').fill('no LIST')
  await expect.poll(() => executions.getByRole('article').count()).toBe(2)
})

test('of a large output the beginning is shown, and its size, but all of it is pinned', async () => {
  const rows = (count: number) => ({
    values: { rows: `=[1..${count}].{'number': $, 'text': $pad('', 1000, 'x')}` },
    keep_input: false,
  })
  const { id } = await greeting('Large', {
    nodes: [
      node('start', 'trigger.manual', 0),
      node('list', 'set', 260, rows(3_000)),
      node('half', 'set', 520, rows(500)),
    ],
    edges: [edge('start', 'main', 'list'), edge('list', 'main', 'half')],
  })
  const page = await ui.open(`/workflows/${id}`)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await nodeNamed(page, 'list, Set fields, Succeeded').dblclick()
  const output = page.getByRole('region', { name: 'Output' })
  await output.getByText('The beginning of 3.1 MB').waitFor()
  await page.screenshot({ path: join(screenshots, 'workflow-large-output.png') })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Close node' }).click()
  await nodeNamed(page, 'half, Set fields, Succeeded').dblclick()
  await output.getByText(/^The beginning of \d+ kB$/).waitFor()
  await output.getByRole('button', { name: 'Pin', exact: true }).click()
  await output.getByText('Pinned', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The workflow was saved').waitFor()
  const { pin_data } = await ui.api<Workflow>('GET', `/api/workflows/${id}`)
  expect((pin_data.half as { rows: unknown[] }).rows).toHaveLength(500)
})

test('on a phone the flow is read and run', async () => {
  const { id } = await greeting('On the phone')
  const page = await ui.open(`/workflows/${id}`, { viewport: { width: 390, height: 844 } })
  const list = page.getByRole('list', { name: 'Nodes' })
  await list.getByText('True: known').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await list.getByText('Succeeded').first().waitFor()
  await page.getByRole('region', { name: 'Execution', exact: true }).getByText('Succeeded').waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await expectAccessible(page)
  await list.getByRole('button', { name: /^greet/ }).click()
  await page.getByRole('dialog').getByRole('group', { name: 'Output' }).waitFor()
  await expectAccessible(page)
  for (const view of ['executions', 'versions', 'settings']) {
    await page.goto(`${ui.daemon.url}/workflows/${id}/${view}`)
    await page.getByRole('navigation', { name: 'Workflow views' }).waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
  }
})

test('the list activates, filters, duplicates and deletes by name', async () => {
  await greeting('Daily greeting', { tags: ['home'] })
  const page = await ui.open('/workflows')
  const row = page.getByRole('article', { name: 'Daily greeting', exact: true })
  await row.getByRole('switch', { name: 'Activate Daily greeting' }).click({ force: true })
  await expect.poll(() => row.getByRole('switch').isChecked()).toBe(true)
  await page.getByLabel('Search workflows').fill('daily')
  await page.getByLabel('Tag').selectOption('home')
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
  await row.getByRole('button', { name: 'More actions for Daily greeting' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'Daily greeting (copy)' }).waitFor()
  await page.getByRole('button', { name: 'More actions for Daily greeting (copy)' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByLabel('Type “Daily greeting (copy)” to confirm').fill('Daily greeting (copy)')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Daily greeting (copy) was deleted').waitFor()
  await page.waitForURL('**/workflows')
})

test('a template and files of hearthd and n8n become workflows, with a report', async () => {
  const page = await ui.open('/workflows')
  await page.getByRole('link', { name: 'Templates' }).click()
  await page.getByRole('heading', { name: 'Templates' }).waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBeGreaterThanOrEqual(12)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Use template: Calculate with code' }).click()
  await page.getByRole('region', { name: 'Canvas' }).waitFor()
  await page.getByRole('button', { name: /^More actions/ }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export' }).click()
  const file = await (await downloading).path()

  await page.goto(`${ui.daemon.url}/workflows/import`)
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText(/was imported with/).waitFor()

  const n8n = {
    name: 'From n8n',
    nodes: [
      {
        id: '1',
        name: 'Go',
        type: 'n8n-nodes-base.manualTrigger',
        typeVersion: 1,
        position: [0, 0],
        parameters: {},
      },
      {
        id: '2',
        name: 'Odd',
        type: 'n8n-nodes-base.oddThing',
        typeVersion: 1,
        position: [200, 0],
        parameters: {},
      },
    ],
    connections: { Go: { main: [[{ node: 'Odd', type: 'main', index: 0 }]] } },
  }
  await page.getByLabel('JSON', { exact: true }).fill(JSON.stringify(n8n))
  await expect.poll(() => page.getByRole('radio', { name: 'n8n' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  const report = page.getByRole('region', { name: 'Report' })
  await report.getByRole('article', { name: 'Odd' }).getByText('Placeholder').waitFor()
  await expectAccessible(page)
  await report.getByRole('link', { name: 'Open workflow' }).click()
  await nodeNamed(page, 'Odd').waitFor()
})

/** A site with three posts. */
async function posts() {
  const server = createServer((request, response) => {
    const id = Number(request.url?.split('/').at(-1))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id, votes: id * 10 }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() }
}

test('webhook, fetch for each item, filter, summarize and respond are built without typing a path', async () => {
  await using site = await posts()
  const { id } = await ui.api<Workflow>('POST', '/api/workflows', { name: 'Built' })
  const page = await ui.open(`/workflows/${id}`)
  const [input, output] = ['Input', 'Output'].map((name) => page.getByRole('region', { name, exact: true }))
  if (!input || !output) throw new Error('No panes')
  const added = async (text: string, name: string) => {
    await page.getByLabel('Add a node').fill(text)
    await page.getByRole('navigation', { name: 'Node types' }).getByRole('button', { name, exact: true }).click()
    return page.getByRole('complementary', { name, exact: true })
  }
  const runNode = async (result: string) => {
    await output.getByRole('button', { name: 'Run node' }).click()
    await output.getByText(result).first().waitFor()
  }
  await added('webhook', 'Webhook')
  await output.getByText('Sample').waitFor()
  await output.getByRole('button', { name: 'Pin', exact: true }).click()
  await output.getByRole('button', { name: 'Edit' }).click()
  await output.getByLabel('Pinned output').fill('{"body": {"posts": [{"id": 1}, {"id": 2}, {"id": 3}]}}')

  await added('split', 'Split out')
  await input.getByRole('button', { name: 'posts' }).focus()
  await page.keyboard.press('Enter')
  await runNode('3 items')

  const request = await added('http', 'HTTP request')
  await request.getByLabel('URL').fill(`${site.url}/posts/`)
  await input.getByRole('button', { name: 'id' }).dragTo(request.getByLabel('URL'))
  await expect.poll(() => request.getByLabel('URL').inputValue()).toBe(`${site.url}/posts/{{ input.id }}`)
  await request.getByText('JSONata').waitFor()
  await request.getByLabel('Value in the last run').getByText(`${site.url}/posts/1`).waitFor()
  await request.getByLabel('Preview item (1 to 3)').fill('3')
  await request.getByLabel('Value in the last run').getByText(`${site.url}/posts/3`).waitFor()
  await page.screenshot({ path: join(screenshots, 'item of a preview.png') })
  await runNode('3 items')
  await expectAccessible(page)

  const filter = await added('filter', 'If')
  await filter.getByLabel('Expression').focus()
  await page.keyboard.type('inp')
  await filter.getByRole('listbox').getByRole('option', { name: 'input' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('.bo')
  await page.keyboard.press('Enter')
  await page.keyboard.type('.vo')
  await page.keyboard.press('Enter')
  await page.keyboard.type(' > 10')
  expect(await filter.getByLabel('Expression').inputValue()).toBe('input.body.votes > 10')
  await filter.getByLabel('Value in the last run').getByText('false').waitFor()
  await filter.getByRole('button', { name: 'Larger editor' }).click()
  const dialog = page.getByRole('dialog', { name: 'Expression' })
  await dialog.getByLabel('Value in the last run').getByText('false').waitFor()
  await dialog.getByRole('button', { name: 'votes' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await runNode('3 items')

  const sum = await added('summarize', 'Summarize')
  await sum.getByRole('button', { name: 'Add summary' }).click()
  await sum.getByLabel('Field', { exact: true }).focus()
  await input.getByRole('button', { name: 'votes' }).click()
  await sum.getByLabel('Operation', { exact: true }).selectOption('sum')
  expect(await sum.getByLabel('Field', { exact: true }).inputValue()).toBe('body.votes')
  await runNode('sum_body_votes')
  await output.getByText('50').waitFor()
  await added('respond', 'Respond to webhook')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The workflow was saved').waitFor()
  const { execution_id } = await ui.api<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`, {
    use_pin_data: true,
  })
  await expect
    .poll(() => ui.api('GET', `/api/workflows/executions/${execution_id}`))
    .toMatchObject({ status: 'succeeded', output: [{ sum_body_votes: 50 }] })
  expect(ui.complaints).toEqual([])
})

test('a webhook shows its address while the workflow is active', async () => {
  const { id } = await ui.api<Workflow>('POST', '/api/workflows', {
    name: 'Called',
    nodes: [node('hook', 'trigger.webhook', 0), node('note', 'set', 260)],
    edges: [edge('hook', 'main', 'note')],
  })
  const page = await ui.open(`/workflows/${id}`)
  await nodeNamed(page, 'hook').click({ position: { x: 60, y: 10 } })
  const form = page.getByRole('complementary', { name: 'hook' })
  await form.getByText('Its address is shown here while').waitFor()
  await page.getByRole('switch', { name: 'Active' }).click({ force: true })
  await form.getByText('/api/workflows/hooks/').waitFor()
})

test('keys work wherever the focus is: undo after deleting and saving, save, and pasting into an empty flow', async () => {
  const { id } = await greeting('Keys')
  const page = await ui.open(`/workflows/${id}`)
  const nodes = page.locator('.react-flow__node')
  await nodeNamed(page, 'known').click()
  await page.getByRole('complementary', { name: 'known' }).waitFor()
  await nodeNamed(page, 'known').focus()
  await page.keyboard.press('Delete')
  await expect.poll(() => nodes.count()).toBe(3)
  await page.locator('.react-flow__pane').click({ position: { x: 300, y: 500 } })
  await page.keyboard.press('Control+s')
  await page.getByText('The workflow was saved').waitFor()
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+z')
  await expect.poll(() => nodes.count()).toBe(4)
  await page.keyboard.press('Control+a')
  // Headless Chromium sends no clipboard event for the keys without a permission.
  const copied = await page.evaluate(() => {
    const clipboardData = new DataTransfer()
    document.body.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true }))
    return clipboardData.getData('text/plain')
  })

  const { id: empty } = await ui.api<Workflow>('POST', '/api/workflows', { name: 'Empty' })
  const other = await ui.open(`/workflows/${empty}`)
  await other.getByText('Add a trigger from the list').waitFor()
  await other.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, copied)
  await expect.poll(() => other.locator('.react-flow__node').count()).toBe(4)
})

test('a change made just before leaving is kept, and so is one made while a save is on its way', async () => {
  const { id } = await greeting('Kept')
  const page = await ui.open(`/workflows/${id}`)
  await nodeNamed(page, 'greet').click()
  const form = page.getByRole('complementary').last()
  await form.getByLabel('Name', { exact: true }).fill('welcome')
  const held = Promise.withResolvers<void>()
  await page.route(`**/api/workflows/${id}`, async (route) => {
    if (route.request().method() === 'GET') await held.promise
    await route.continue()
  })
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await saved
  await page.getByText('Unsaved changes').waitFor({ state: 'hidden' })
  expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('welcome')
  await form.getByLabel('Name', { exact: true }).fill('welcome back')
  held.resolve()
  await page.getByRole('link', { name: 'All workflows' }).click()
  await page.getByRole('heading', { name: 'Workflows' }).waitFor()
  await page.goBack()
  await page.getByText('Unsaved changes').waitFor()
  await nodeNamed(page, 'welcome back').waitFor()
})

test('the fields of nodes are pickers, and expressions exist only where they are evaluated', async () => {
  const { id } = await greeting('Fields', {
    nodes: [
      node('hook', 'trigger.webhook', 0),
      node('event', 'trigger.event', 0),
      node('message', 'trigger.channel', 0),
      node('device', 'device_command', 260),
      node('replay', 'browser_replay', 520),
      node('hint', 'note', 780),
      node('ask', 'llm', 780, { prompt: 'Hello' }),
    ],
    edges: [],
    input_schema: { type: 'object', properties: { count: { type: 'integer' } } },
  })
  const page = await ui.open(`/workflows/${id}`)
  const opened = async (name: string) => {
    await nodeNamed(page, name).focus()
    await page.keyboard.press('Enter')
    return page.getByRole('complementary', { name })
  }
  for (const [name, field] of [
    ['event', 'Event'],
    ['message', 'Channel'],
    ['device', 'Device'],
    ['replay', 'Recording'],
  ] as const)
    await (await opened(name)).getByRole('combobox', { name: field, exact: true }).waitFor()
  const hook = await opened('hook')
  await hook.getByText('POST', { exact: true }).waitFor()
  expect(await hook.getByRole('button', { name: /Use an expression/ }).count()).toBe(0)
  const ask = await opened('ask')
  const schema = ask.getByLabel('Answer schema', { exact: true })
  await schema.fill('{"type": "obj')
  await ask.getByText('This is not valid JSON').waitFor()
  await schema.fill('{"type": "object"}')
  expect(await schema.inputValue()).toBe('{"type": "object"}')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect.poll(() => schema.inputValue()).toBe('')
  const hint = await opened('hint')
  await hint.getByLabel('Text').waitFor()
  expect(await hint.getByRole('tab').count()).toBe(0)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Run with input' })
  await dialog.getByLabel('Count').waitFor()
  expect(await dialog.getByRole('button', { name: /Use an expression/ }).count()).toBe(0)
})

test('a template asks for the values of its variables', async () => {
  const page = await ui.open('/workflows/templates')
  await page.getByRole('button', { name: 'Use template: Watch a website' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set up Watch a website' })
  await dialog.getByLabel('URL').fill('https://example.org/health')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save and open' }).click()
  await page.locator('.react-flow__node').first().waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  expect(await ui.api<Workflow>('GET', `/api/workflows/${id}`)).toMatchObject({
    name: 'Watch a website',
    variables: { url: 'https://example.org/health' },
  })
})
