import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval } from '../../runtime/chat/schema.ts'
import type { Device, DeviceCommand } from '../../runtime/devices/schema.ts'
import { startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
  await ui.api('PUT', '/api/providers/openai/key', {
    api_key: 'sk-test',
    base_url: wire.url.openai,
    default_model: 'model-a',
  })
})
afterAll(() => Promise.all([ui[Symbol.asyncDispose](), wire.close()]))

const screenshot = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })

const onlyDevice = async () => (await ui.api<{ devices: Device[] }>('GET', '/api/devices')).devices[0] as Device

async function ended(id: string, command: DeviceCommand): Promise<DeviceCommand> {
  const path = `/api/devices/${id}/commands/${command.id}`
  await expect.poll(async () => (await ui.api<DeviceCommand>('GET', path)).ended_at).not.toBeNull()
  return ui.api<DeviceCommand>('GET', path)
}

const send = async (id: string, command: string, params: object = {}) =>
  ended(id, await ui.api<DeviceCommand>('POST', `/api/devices/${id}/commands`, { command, params }))

test('a phone pairs by a link, answers commands and approves an action, at 390 px', async () => {
  // The owner creates a code on the page.
  const page = await ui.open('/devices')
  await page.getByText('No devices yet').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'devices-empty')
  await page.getByRole('button', { name: 'Pair a device' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create code' }).click()
  const code = await dialog.getByLabel('Pairing code').textContent()
  expect(code).toMatch(/^\d{6}$/)
  await dialog.getByAltText('QR code of the pairing link').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'devices-pair')

  const phone = await ui.open(`/device#${code}`, {
    signedIn: false,
    viewport: { width: 390, height: 800 },
    permissions: ['geolocation', 'clipboard-read', 'clipboard-write', 'notifications', 'camera'],
    geolocation: { latitude: 52.5, longitude: 13.4 },
    userAgent: 'Mozilla/5.0 (Linux; Android 15) Chrome/130',
  })
  expect(await phone.getByLabel('Pairing code').inputValue()).toBe(code)
  expect(new URL(phone.url()).hash).toBe('')
  await phone.getByLabel('Name of this device').fill('My phone')
  await phone.getByLabel('Pairing code').fill(code === '000000' ? '000001' : '000000')
  await phone.getByRole('button', { name: 'Pair this browser' }).click()
  await phone.getByRole('alert').getByText('This pairing code is wrong').waitFor()
  expect(await phone.getByLabel('Name of this device').inputValue()).toBe('My phone')
  await phone.getByLabel('Pairing code').fill(code ?? '')
  await expectAccessible(phone)
  await screenshot(phone, 'device-pair')
  await phone.getByRole('button', { name: 'Pair this browser' }).click()
  await phone.getByText('Connected as My phone').waitFor()

  // The page follows: the device is shown and its capabilities are approved.
  await page.getByRole('heading', { name: 'My phone' }).waitFor()
  await page.getByText('New: ').waitFor()
  for (const box of await page.getByRole('checkbox').all()) await box.check()
  await expectAccessible(page)
  await screenshot(page, 'device-capabilities')
  await page.getByRole('button', { name: 'Save' }).click()
  await phone.getByText('No approvals are waiting for you.').waitFor()
  const { id, allowed_commands } = await onlyDevice()
  expect(allowed_commands).toContain('camera')

  // Commands, from the page and from the API.
  await page.getByLabel('Command', { exact: true }).selectOption({ label: 'Notify' })
  await page.getByLabel('Title').fill('Tea is ready')
  await page.getByRole('button', { name: 'Run' }).click()
  await phone.getByText('Tea is ready').waitFor()
  await page.getByRole('group', { name: 'Output' }).waitFor()
  expect(await send(id, 'location')).toMatchObject({
    status: 'succeeded',
    output: { latitude: 52.5, longitude: 13.4 },
  })
  await phone.bringToFront()
  expect((await send(id, 'clipboard.write', { text: 'green tea' })).status).toBe('succeeded')
  expect((await send(id, 'clipboard.read')).output).toEqual({ text: 'green tea' })
  await phone.evaluate(() => navigator.clipboard.writeText('é'.repeat(600_000)))
  expect(await send(id, 'clipboard.read')).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^The output has 1200\d+ bytes; the limit is 1048576$/),
  })
  expect((await send(id, 'open_url', { url: 'https://example.com/tea' })).status).toBe('succeeded')
  expect(await phone.getByRole('link', { name: 'https://example.com/tea' }).getAttribute('rel')).toContain('noopener')

  // An approval.
  wire.script(toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' }), text('Written.'))
  const { id: conversation_id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', {
    title: 'Tea',
  })
  const message = { message: 'Write a note', conversation_id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  await phone.getByRole('button', { name: 'Approve' }).waitFor()
  await expectAccessible(phone)
  expect(await sidewaysOverflow(phone)).toBe(0)
  await screenshot(phone, 'device-approval')
  await phone.getByRole('button', { name: 'Approve' }).click()
  await phone.getByText('No approvals are waiting for you.').waitFor()
  const { approvals } = await ui.api<{ approvals: Approval[] }>('GET', '/api/chat/approvals?status=approved')
  expect(approvals).toMatchObject([{ tool: 'files', status: 'approved' }])

  // The page is closed and opened again: it has kept its token. The browser does not answer for its battery.
  await phone.addInitScript(() => Object.assign(navigator, { getBattery: () => new Promise(() => undefined) }))
  await phone.reload()
  await phone.getByText('Connected as My phone').waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto(`${ui.daemon.url}/devices`)
  await page.getByText('Online').first().waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await screenshot(page, 'devices-phone-dark')
  await page.getByRole('link', { name: 'Open My phone' }).click()
  await page.getByRole('heading', { name: 'My phone' }).waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await expectAccessible(page)
  await screenshot(page, 'device-phone-dark')

  // A group.
  await page.goto(`${ui.daemon.url}/devices`)
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Everything')
  await page.getByRole('dialog').getByLabel('My phone').check()
  await page.getByRole('button', { name: 'Create group' }).click()
  const group = page.getByRole('article', { name: 'Everything' })
  await group.getByRole('button', { name: 'Run a command' }).click()
  await group.getByLabel('Title').fill('Dinner')
  await group.getByRole('button', { name: 'Run', exact: true }).click()
  await group.getByRole('region', { name: 'Result of My phone' }).getByText('Done').waitFor()
  await phone.getByText('Dinner').waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await screenshot(page, 'devices-group')

  // Revoked: the phone says what to do.
  await page.getByRole('link', { name: 'Open My phone' }).click()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await phone.getByText('Pair it again with a new code.').waitFor()
  expect(ui.complaints).toEqual([])
})
