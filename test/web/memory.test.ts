import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, goTo, sidewaysOverflow, startUi, type Ui } from './harness.ts'
import { memories } from './memory/memories.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

/** Colours that a canvas shows: a blank one has a single one. */
const coloursOf = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
    return new Set(new Uint32Array((data as Uint8ClampedArray).buffer)).size
  })

const drawn = (page: Page) => expect.poll(() => coloursOf(page)).toBeGreaterThan(20)

const finished = (page: Page, panel: string) =>
  page.getByRole('region', { name: panel }).getByText('Finished').waitFor({ timeout: 120_000 })

async function importMemories(): Promise<void> {
  await ui.api('POST', '/api/settings/memory/import', { episodes: memories(240) })
}

test('without memories each view explains what to do', async () => {
  const page = await ui.open('/memory')
  await page.getByText('No memories yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await page.getByRole('link', { name: 'Import from conversations' }).waitFor()
  await page.getByRole('link', { name: 'Graph', exact: true }).click()
  await page.getByText('No entities yet').waitFor()
  await page.getByRole('link', { name: 'Statistics', exact: true }).click()
  await page.getByText('No recalls yet').waitFor()
  await page.goto(`${ui.daemon.url}/memory/ep_nothing`)
  await page.getByText('Memory not found').waitFor()
  await page.context().close()
})

test('a memory is added, found, opened, edited, restored and deleted', async () => {
  const page = await ui.open('/memory')
  await page.getByRole('button', { name: 'Add memory' }).click()
  await page.getByRole('textbox', { name: 'Content' }).fill('The <b>boiler</b> is serviced by Ana in October.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 memory, newest first').waitFor()

  await page.getByRole('heading', { name: 'Memory' }).click()
  await page.keyboard.press('/')
  await page.keyboard.type('boiler')
  await page.getByText('1 memory found').waitFor()
  expect(new URL(page.url()).search).toBe('?q=boiler')
  const hit = page
    .getByRole('main')
    .getByRole('link')
    .filter({ has: page.locator('mark') })
  expect(await hit.locator('mark').textContent()).toBe('boiler')
  expect(await hit.textContent()).toContain('<b>boiler</b>')
  await page.getByText('Words', { exact: true }).click()
  await page.waitForURL('**/memory?q=boiler&mode=keyword')
  await hit.click()
  await page.waitForURL('**/memory/ep_*')
  await page.getByText('No changes').waitFor()

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Content' }).fill('The boiler is serviced by Ben in October.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Changed: content').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('serviced by Ana in October').first().waitFor()
  await page.getByText('Restored by').waitFor()
  await page.getByRole('button', { name: 'Useful', exact: true }).click()
  await page.getByText('used 1, ignored 0').waitFor()

  const address = page.url()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No memories yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL(address)
  await page.getByText('Deleted by').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No memories yet').waitFor()
  await page.goto(address)
  await page.getByText('This memory was deleted').waitFor()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByRole('article', { name: 'Memory' }).waitFor()
  await page.context().close()
})

test('jobs show their progress and result, and a rebuild is undone', async () => {
  await importMemories()
  const page = await ui.open('/memory/maintenance')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Generate' }).click()
  await page.getByRole('progressbar', { name: 'Progress' }).first().waitFor()
  await finished(page, 'Generate memories')
  await page.getByRole('button', { name: 'Consolidate', exact: true }).click()
  await page.getByText('Extracted by rules, because no model is set up').waitFor()
  await expectAccessible(page)

  await page.getByRole('checkbox', { name: 'Rebuild the graph' }).check()
  await page.getByRole('button', { name: 'Consolidate', exact: true }).click()
  await page.getByRole('button', { name: 'Undo last rebuild…' }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('Previous graph restored').waitFor()
  await page.getByRole('button', { name: 'Undo last rebuild…' }).click()
  await page.getByRole('button', { name: 'Restore', exact: true }).click()
  await page.getByText('There is no earlier graph').waitFor()
  await page.context().close()
}, 180_000)

test('starting a job that is running shows its progress', async () => {
  const page = await ui.open('/memory/maintenance')
  const start = page.getByRole('button', { name: 'Extract names only' })
  await start.waitFor()
  const running = { kind: 'consolidate', status: 'running', progress: { phase: 'facts', done: 3, total: 9 } }
  await page.route('**/api/memory/backfill-entities', (route) =>
    route.fulfill({ status: 409, json: { error: 'conflict', message: 'A consolidate job runs already' } }),
  )
  await page.route('**/api/memory/jobs/consolidate', (route) => route.fulfill({ json: { job: running } }))
  await start.click()
  await page.getByText('Extracting facts (3 of 9)').waitFor()
  await page.context().close()
})

test('the graph is drawn; an entity shows its facts; the slider goes back in time', async () => {
  const page = await ui.open('/memory/graph')
  await drawn(page)
  await expectAccessible(page)
  await page.getByRole('searchbox', { name: 'Name' }).fill('lisb')
  await page.getByRole('button', { name: /^Lisbon/ }).click()
  await page
    .getByRole('region', { name: 'Lisbon' })
    .getByText(/lives in Lisbon/)
    .first()
    .waitFor()
  await page.waitForURL('**/memory/graph?entity=*')
  const mentioning = page.getByRole('region', { name: /^Mentioned in \d+ memories$/ })
  await mentioning
    .getByRole('link', { name: /Lisbon/ })
    .first()
    .waitFor()
  await expectAccessible(page)
  await page.getByText('Now, including ended facts').waitFor()
  await page.getByRole('slider', { name: 'Time' }).focus()
  await page.keyboard.press('Home')
  await page.getByText(/^On \D/).waitFor()
  await drawn(page)
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.getByText('Now, including ended facts').waitFor()
  await page.context().close()
})

test('without its pack the map says what to install, with it a point opens a memory', async () => {
  const page = await ui.open('/memory/map')
  await page.getByText('The map needs a pack').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Show pack' }).click()
  await page.waitForURL('**/settings/features')
  await ui.api('POST', '/api/features/packs/memory-visualization/install')
  const installed = async () =>
    (await ui.api<{ job: { status: string } }>('GET', '/api/features/packs/memory-visualization/install')).job.status
  await expect.poll(installed, { timeout: 120_000, interval: 500 }).toBe('done')
  await page.goto(`${ui.daemon.url}/memory/map?n=5`)
  await drawn(page)
  await expect.poll(() => page.getByRole('region', { name: 'Groups' }).getByRole('listitem').count()).toBe(5)
  await expectAccessible(page)
  await page.getByRole('region', { name: 'Groups' }).getByRole('link').first().click()
  await page.getByText('One group of the map').waitFor()
  await page.context().close()
}, 240_000)

test('memories are exported, deleted by name, and imported after a preview', async () => {
  const page = await ui.open('/memory/maintenance')
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const path = await (await saved).path()
  const held = await ui.api<{ total: number }>('GET', '/api/memory/episodes')
  await page.getByRole('button', { name: 'Delete all…' }).click()
  expect(await page.getByRole('button', { name: 'Delete all', exact: true }).isDisabled()).toBe(true)
  await page.getByLabel('Type “WIPE” to confirm').fill('WIPE')
  await page.getByRole('button', { name: 'Delete all', exact: true }).click()
  await page.getByText('memories were permanently deleted').waitFor()
  expect(await ui.api('GET', '/api/memory/episodes')).toMatchObject({ total: 0 })

  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles(path)
  await page.getByText(`${held.total} memories to import`).waitFor()
  expect(await ui.api('GET', '/api/memory/episodes')).toMatchObject({ total: 0 })
  await page.getByRole('button', { name: `Import ${held.total} memories` }).click()
  await page.getByText(`${held.total} memories imported`).waitFor()
  expect(await ui.api('GET', '/api/memory/episodes')).toMatchObject({ total: held.total })
  await ui.api('POST', '/api/memory/consolidate/conversations', {})
  await ui.api('POST', '/api/memory/generate-episodes', {})
  await page.reload()
  await finished(page, 'Generate memories')
  await finished(page, 'Consolidate')
  await page.context().close()
}, 180_000)

const views = [
  { name: 'search', path: '/memory?q=Lisbon', ready: 'found, best match first' },
  { name: 'list', path: '/memory', ready: 'newest first' },
  { name: 'map', path: '/memory/map', ready: 'Groups' },
  { name: 'graph', path: '/memory/graph', ready: 'Most mentioned' },
  { name: 'statistics', path: '/memory/statistics', ready: 'Sources' },
  { name: 'maintenance', path: '/memory/maintenance', ready: 'Finished' },
  { name: 'settings', path: '/settings/memory', ready: 'Half-life' },
]

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)(
  'each view can be used by everybody: %s, %i px',
  async (colorScheme, width) => {
    const page = await ui.open('/nowhere', { colorScheme, viewport: { width, height: 844 } })
    const { episodes } = await ui.api<{ episodes: { id: string }[] }>('GET', '/api/memory/episodes')
    const detail = { name: 'episode', path: `/memory/${episodes[3]?.id}`, ready: 'Related' }
    for (const { name, path, ready } of [...views, detail]) {
      await goTo(page, path)
      await page.getByRole('main').getByText(ready).first().waitFor()
      if (name === 'map' || name === 'graph') await drawn(page)
      if (name === 'episode')
        await page
          .getByText(/Similar meaning|Same mentions/)
          .first()
          .waitFor()
      await page.screenshot({
        path: join(folder, `memory-${name}-${colorScheme}-${width}.png`),
      })
      await expectAccessible(page, colorScheme === 'dark' ? ['color-contrast'] : [])
      expect(await sidewaysOverflow(page), name).toBe(0)
    }
    await page.context().close()
  },
  240_000,
)

test('no page had an error or a violation of its Content-Security-Policy', () => {
  expect(ui.complaints).toEqual([])
})
