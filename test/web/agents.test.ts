import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

interface Agent {
  id: string
  name: string
  archetype: string | null
  execution_mode: string
  tools: { deny: string[] }
  memory: { recall_limit: number }
  model: { provider: string | null }
}

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

const agents = async () => (await ui.api<{ agents: Agent[] }>('GET', '/api/agents')).agents
const named = async (name: string) => (await agents()).find((agent) => agent.name === name)

test('creates an agent from an expert and edits it', async () => {
  const page = await ui.open('/agents')
  await page.getByRole('link', { name: 'New agent' }).click()
  await page.getByLabel('Name').fill('Marie')
  await page.getByRole('radio', { name: 'Researcher' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('tab', { name: 'Tools' }).click()
  await page.getByRole('radio', { name: 'Read only' }).click()
  await page.getByRole('combobox', { name: 'Denied tools' }).fill('http_request')
  await page.getByRole('combobox', { name: 'Denied tools' }).press('Enter')
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Memory' }).click()
  await page.getByLabel('Memories per answer').fill('9')
  await page.getByRole('tab', { name: 'Model' }).click()
  await page.getByRole('combobox', { name: 'Provider' }).click()
  await page.getByRole('option', { name: 'Offline model' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('article', { name: 'Marie' }).waitFor()
  await page.waitForURL('**/agents')

  expect(await named('Marie')).toMatchObject({
    archetype: 'researcher',
    execution_mode: 'read_only',
    tools: { deny: ['http_request'] },
    memory: { recall_limit: 9 },
    model: { provider: 'offline' },
  })
  expect(ui.complaints).toEqual([])
})

test('asks before it discards changes, also on a slow machine', async () => {
  const { id } = await ui.api<Agent>('POST', '/api/agents', { name: 'Careful' })
  const page = await ui.open(`/agents/${id}`)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 12 })
  await page.getByLabel('Description').fill('half a sentence')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()

  expect(await page.getByLabel('Description').inputValue()).toBe('half a sentence')
})

test('exports an agent to a file and imports it again', async () => {
  await ui.api<Agent>('POST', '/api/agents', { name: 'Traveller', system_prompt: 'See the world.' })
  const page = await ui.open('/agents')
  await page.getByRole('button', { name: 'More actions for Traveller' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export' }).click()
  const file = await (await downloading).path()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import' }).click()
  await (await choosing).setFiles({
    name: 'traveller.json',
    mimeType: 'application/json',
    buffer: await (await import('node:fs/promises')).readFile(file),
  })
  await page.getByRole('dialog').getByLabel('Instructions').waitFor()

  expect(await page.getByRole('dialog').getByLabel('Instructions').inputValue()).toBe('See the world.')
})

test('duplicates an agent, and deletes it only after its name is typed', async () => {
  await ui.api<Agent>('POST', '/api/agents', { name: 'Doubtful' })
  const page = await ui.open('/agents')
  await page.getByRole('button', { name: 'More actions for Doubtful' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.waitForURL('**/agents')
  await page.getByRole('button', { name: 'More actions for Doubtful', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const confirm = page.getByRole('button', { name: 'Delete', exact: true })
  expect(await confirm.isDisabled()).toBe(true)
  await page.getByLabel('Type “Doubtful” to confirm').fill('Doubtful')
  await confirm.click()
  await page.getByText('Doubtful was deleted').waitFor()

  expect(await named('Doubtful')).toBeUndefined()
  expect((await agents()).filter(({ name }) => name.startsWith('Doubtful'))).toHaveLength(1)
})

test('starts a chat with the agent of the card', async () => {
  await ui.api<Agent>('POST', '/api/agents', { name: 'Talkative' })
  const page = await ui.open('/agents')
  await page.getByRole('article', { name: 'Talkative' }).getByRole('link', { name: 'Chat' }).click()

  await page.waitForURL('**/chat?agent=*')
  await page.getByRole('main').getByText('Talkative').first().waitFor()
})
