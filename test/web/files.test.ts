import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Download, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { png } from '../files/kit.ts'
import { text, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUi, startUiWithModel, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

const file = (name: string, content: string | Uint8Array, mimeType = 'text/plain') => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
})

async function choose(page: Page, button: string, ...files: ReturnType<typeof file>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).first().click()
  await (await chooser).setFiles(files)
}

async function contentOf(download: Download): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** Drags files over an element and lets go, as a person does from a folder. */
async function drop(page: Page, target: string, name: string, content: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, words]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([words as string], fileName as string, { type: 'text/plain' }))
      return transfer
    },
    [name, content],
  )
  for (const type of ['dragenter', 'dragover', 'drop'])
    await page.locator(target).dispatchEvent(type, { dataTransfer: data })
}

test('files are uploaded, found, previewed, downloaded and deleted', async () => {
  const page = await ui.open('/files')
  await page.getByText('No files yet').waitFor()
  await expectAccessible(page)
  await choose(page, 'Upload', file('notes on tea.md', '# Tea\n\nWithout sugar.'), file('cat.png', png, 'image/png'))
  await page.getByRole('article', { name: 'cat.png' }).locator('img').waitFor()
  await drop(page, '.page', 'dropped.csv', 'a,b\n1,2')
  await page.getByRole('article', { name: 'dropped.csv' }).waitFor()

  await page.getByRole('textbox', { name: 'Search files by name' }).fill('TEA')
  await page.getByRole('article', { name: 'dropped.csv' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'notes on tea.md', exact: true }).click()
  await page.getByRole('dialog').getByText('Without sugar.').waitFor()
  await expectAccessible(page)
  const saved = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toBe('notes on tea.md')
  expect(await contentOf(await saved)).toBe('# Tea\n\nWithout sugar.')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Delete notes on tea.md' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No matching files').waitFor()
  await page.getByRole('textbox', { name: 'Search files by name' }).fill('')
  await page.getByRole('article', { name: 'dropped.csv' }).waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBe(2)
})

test('a file that is too large is reported and can be dismissed', async () => {
  await using small = await startUi({ env: { SERVICE_UPLOAD_LIMIT_BYTES: '1024' } })
  const page = await small.open('/files')
  await choose(page, 'Upload', file('large.bin', 'x'.repeat(5000)))
  await page.getByRole('alert').getByText('larger than 1024 bytes').waitFor()
  await page.getByRole('button', { name: 'Remove large.bin' }).click()
  await page.getByText('No files yet').waitFor()
})

test('files are attached to a message, reach the model and can be opened from the chat', async () => {
  wire.script(text('A cat, and a list.'))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { model: 'openai/model-a' })
  const page = await ui.open(`/chat/${id}`)
  await choose(page, 'Attach files', file('cat.png', png, 'image/png'), file('wrong.txt', 'not this'))
  await drop(page, 'form[aria-label="Message"]', 'list.txt', 'milk and bread')
  const chips = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem')
  await expect.poll(() => chips.count()).toBe(3)
  await page.getByRole('button', { name: 'Remove wrong.txt' }).click()
  await page.getByRole('textbox', { name: 'Message' }).fill('What is this?')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('article').getByText('A cat, and a list.').waitFor()

  const sent = JSON.stringify(
    wire.requests.find(({ body }) => JSON.stringify(body ?? null).includes('milk and bread'))?.body,
  )
  expect(sent).toContain('data:image/png;base64,')
  expect(sent).toContain('<untrusted>\\nmilk and bread\\n</untrusted>')
  expect(sent).not.toContain('not this')
  expect(await chips.count()).toBe(0)

  await page.reload()
  const attached = page.getByRole('list', { name: 'Attached files' })
  await attached.getByRole('button', { name: /list\.txt/ }).click()
  await page.getByRole('dialog').getByText('milk and bread').waitFor()
  await page.keyboard.press('Escape')
  await attached.locator('img').waitFor()
  await expectAccessible(page)

  const { files } = await ui.api<{ files: { id: string }[] }>('GET', '/api/files?search=list.txt')
  await ui.api('DELETE', `/api/files/${files[0]?.id}`)
  await attached.getByText('Deleted file').waitFor()
})

test('a picture is pasted, and may be sent without text from a new chat', async () => {
  wire.script(text('Pasted.'))
  const page = await ui.open('/chat')
  await page.getByRole('textbox', { name: 'Message' }).evaluate((field) => {
    const data = new DataTransfer()
    data.items.add(new File(['not really a picture'], 'shot.txt'))
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await page.getByRole('button', { name: 'Remove shot.txt' }).waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.waitForURL('**/chat/conv_*')
  await page.getByText('Attached: shot.txt').first().waitFor()
  await page.getByRole('list', { name: 'Attached files' }).waitFor()
})

test('attached files survive a reload, except those deleted since', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { model: 'openai/model-a' })
  const page = await ui.open(`/chat/${id}`)
  await choose(page, 'Attach files', file('kept.txt', 'kept'), file('gone.txt', 'gone'))
  const chips = page.getByRole('list', { name: 'Files to send' })
  await chips
    .getByText(/4 bytes/)
    .nth(1)
    .waitFor()
  const { files } = await ui.api<{ files: { id: string }[] }>('GET', '/api/files?search=gone.txt')
  await ui.api('DELETE', `/api/files/${files[0]?.id}`)

  await page.reload()
  await chips.getByText('kept.txt').waitFor()
  await chips.getByText('gone.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove kept.txt' }).click()
  await page.reload()
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  expect(await chips.count()).toBe(0)
})

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)('the page and the composer look well: %s, %i px', async (colorScheme, width) => {
  const name = `files-${colorScheme}-${width}`
  const page = await ui.open('/files', { colorScheme, viewport: { width, height: 800 } })
  await page.getByRole('article').first().waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.goto(`${ui.daemon.url}/chat`)
  await choose(page, 'Attach files', file('a long name of a picture from the holidays.png', png), file('b.txt', 'x'))
  await page.getByRole('list', { name: 'Files to send' }).getByText('1 byte').waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, `${name}-composer.png`) })
})

test('no page had an error or a violation of its Content-Security-Policy', () => {
  expect(ui.complaints).toEqual([])
})
