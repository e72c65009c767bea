import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, openBench } from './driver.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

test('an act that cannot be performed reports why and what would help', async () => {
  const driver = await bench.open('valid')
  const fails = (action: Parameters<typeof driver.act>[0]) => driver.failure(driver.act(action))

  expect(await fails({ action: 'click', index: 99 })).toMatchObject({ code: 'stale_index' })
  expect(await fails({ action: 'click', selector: '#none', timeout_ms: 200 })).toMatchObject({
    code: 'element_not_found',
    hint: expect.stringContaining('wait_for_selector'),
  })
  expect(await fails({ action: 'click', selector: '((' })).toMatchObject({ code: 'element_not_found' })
  expect(await fails({ action: 'click', ref: 'e0' })).toMatchObject({ code: 'element_not_found' })
  expect(await fails({ action: 'click' })).toMatchObject({ hint: expect.stringContaining('index') })
  expect(await fails({ action: 'click', selector: '#b', timeout_ms: 2_000 })).toMatchObject({
    code: 'not_enabled',
  })
  expect(await fails({ action: 'check', selector: '#r' })).toMatchObject({ hint: 'Use click' })
  expect(await fails({ action: 'type_text', selector: '#b', text: 'x' })).toMatchObject({
    code: 'not_enabled',
  })
  expect(await fails({ action: 'press_key', key: 'Bogus' })).toMatchObject({
    hint: expect.stringContaining('Enter'),
  })
  expect(await fails({ action: 'goto', url: 'file:///etc/passwd' })).toMatchObject({ code: 'blocked_url' })
  expect(await fails({ action: 'goto', url: 'http://127.0.0.1:1/' })).toMatchObject({
    code: 'navigation_failed',
  })
  expect(await fails({ action: 'go_forward' })).toMatchObject({ code: 'navigation_failed' })
  expect(await fails({ action: 'drag_and_drop', selector: '#r' })).toMatchObject({
    hint: expect.stringContaining('to'),
  })
  expect(await fails({ action: 'handle_dialog' })).toMatchObject({ code: 'element_not_found' })
  expect(await fails({ action: 'wait_for_navigation', timeout_ms: 200 })).toMatchObject({ code: 'timeout' })
})

test('a number is bound to its element; a ref finds the element that replaced it', async () => {
  const driver = await bench.open('valid')
  const fresh = await driver.index('Fresh')
  const ref = driver.view?.elements[fresh - 1]?.ref ?? ''
  await driver.on('Redraw', 'click')

  expect(await driver.failure(driver.act({ action: 'click', index: fresh }))).toMatchObject({
    code: 'stale_index',
  })
  await driver.act({ action: 'click', ref })
  expect(await driver.out()).toBe('fresh')
})

test.each([
  ['Day', '29.3.'],
  ['Time', 'noon'],
  ['Colour', 'red'],
  ['Level', '99'],
  ['Count', 'many'],
])('the field %s does not take %s, and says what it takes', async (field, text) => {
  const driver = await bench.open('inputs')
  expect(await driver.failure(driver.on(field, 'type_text', { text }))).toMatchObject({
    code: 'not_enabled',
    hint: expect.stringContaining('2026-03-29'),
  })
})

test('passwords are not shown, and read-only fields cannot be typed into', async () => {
  const driver = await bench.open('inputs')
  expect(driver.text).toContain('Secret (password, filled in)')
  expect(driver.text).not.toContain('hunter2')
  expect(await driver.failure(driver.on('Fixed', 'type_text', { text: 'x' }))).toMatchObject({
    code: 'not_enabled',
  })
})

test('covered and disabled elements are refused', async () => {
  const driver = await bench.open('obstacles')
  await driver.on('Show modal', 'click')
  expect(await driver.failure(driver.on('Half', 'click', { timeout_ms: 600 }))).toMatchObject({
    code: 'obscured',
  })
  const lists = await bench.open('listbox')
  const gamma = lists.on('Native', 'select_option', { value: 'Gamma' })
  expect(await lists.failure(gamma)).toMatchObject({ code: 'not_enabled' })
  const none = lists.on('Native', 'select_option', { value: 'Omega' })
  expect(await lists.failure(none)).toMatchObject({ hint: expect.stringContaining('"Alpha"') })
})

test('a page that fakes positions and appearance is clicked where its elements really are', async () => {
  const driver = await bench.open('liar')
  await driver.on('Pay', 'click')
  await driver.act({ action: 'click', selector: 'text="Keep"' })
  await driver.act({ action: 'click', selector: 'text="Pay"' })
  expect(await driver.out()).toBe('pay 0 keep pay 0')
})

test('a dialog ends the act that opened it, blocks the next one, and can be answered', async () => {
  const driver = await bench.open('dialogs')
  await driver.on('Alert', 'click')
  expect(driver.dialogs.of(driver.page)).toEqual({ type: 'alert', message: 'Hello', default_value: '' })
  expect(await driver.failure(driver.act({ action: 'click', index: 1 }))).toMatchObject({
    code: 'dialog_open',
  })
  await driver.act({ action: 'handle_dialog' })
  await driver.on('Confirm', 'click')
  await driver.act({ action: 'handle_dialog', accept: false })
  await driver.on('Prompt', 'click')
  await driver.act({ action: 'handle_dialog', prompt_text: 'Ada' })
  await expect.poll(() => driver.out()).toBe('alerted false Ada')
})

test('a page with a beforeunload prompt can be left', async () => {
  const driver = await bench.open('dialogs')
  await driver.on('Guard', 'click')
  await driver.on('Leave', 'click')
  expect(driver.dialogs.of(driver.page)).toMatchObject({ type: 'beforeunload' })
  await driver.act({ action: 'handle_dialog', accept: true })
  await expect.poll(() => driver.page.url()).toContain('shadow.html')
})

test('a click that opens a slow page ends when the page is ready; one that opens none does not wait', async () => {
  const driver = await bench.open('windows')
  await driver.on('Script', 'click')
  await driver.on('Hash', 'click')
  await driver.on('Empty', 'click')
  expect(await driver.out()).toBe('script hash')
  await driver.on('Slow', 'click')
  expect(await driver.page.title()).toBe('slow page')
  await driver.act({ action: 'go_back' })
  expect(driver.page.url()).toContain('windows.html')
  await driver.act({ action: 'go_forward' })
  await driver.act({ action: 'reload' })
  expect(await driver.look()).toContain('Late (button)')
})

test.each(['intent://x#Intent;scheme=y;end', 'tel:123', 'mailto:a@b.example', 'customscheme://x', '/nothing'])(
  'a page whose first script leads to %s is open as soon as it stands',
  async (to) => {
    const driver = await bench.open('valid')
    const url = `${driver.origin}/leads?to=${encodeURIComponent(to)}`
    await driver.act({ action: 'goto', url, timeout_ms: 4_000 })
    expect(await driver.look()).toContain('Stay (button)')
    await driver.act({ action: 'reload', timeout_ms: 4_000 })
    await driver.act({ action: 'go_back', timeout_ms: 4_000 })
    await driver.act({ action: 'go_forward', timeout_ms: 4_000 })
    expect(driver.page.url()).toBe(url)
  },
)

test('waits have time limits', async () => {
  const driver = await bench.open('busy')
  const idle = driver.act({ action: 'wait_for_network_idle', timeout_ms: 700 })
  expect(await driver.failure(idle)).toMatchObject({ code: 'timeout' })
  await driver.act({ action: 'wait_for_selector', selector: 'text=Busy' })
})

test('focus, blur, scrolling to an element, and points on the page', async () => {
  const driver = await bench.open('autocomplete')
  await driver.on('City', 'focus')
  expect(await driver.look()).toContain('City (textbox, focused)')
  await driver.act({ action: 'blur' })
  expect(await driver.look()).not.toContain('focused')
  const obstacles = await bench.open('obstacles')
  await obstacles.on('Below', 'scroll_to_element')
  const box = await obstacles.page.getByText('Below').boundingBox()
  await obstacles.act({ action: 'hover', x: 5, y: 5 })
  await obstacles.act({ action: 'click', x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 })
  expect(await obstacles.out()).toBe('below')
  await obstacles.act({ action: 'scroll', delta_y: -2_000 })
  await expect.poll(() => obstacles.page.evaluate(() => scrollY)).toBe(0)
})

test('an aborted act ends at once', async () => {
  const driver = await bench.open('valid')
  const { perform } = await import('../../../adapters/browser/page/perform.ts')
  const { page, dialogs, view } = driver
  const allow = async (url: string) => url
  const action = { action: 'wait_for_selector', selector: '#none' } as const
  const run = perform({ page, dialogs, view, allow, action }, AbortSignal.abort(new Error('called off')))
  await expect(run).rejects.toThrow('called off')
})

const svg = {
  contentType: 'image/svg+xml',
  body: '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16"/></svg>',
}

test.each([
  ['a picture that is still on its way is told, and pressed when it has come', 'still'],
  ['a picture that another takes the place of under the pointer is pressed when that one has come', 'lit'],
])('%s', async (_what, late) => {
  const driver = await bench.open('words')
  await driver.page.route('**/*.svg', async (route) => {
    if (route.request().url().includes(late)) await fetch(`${driver.origin}/slow`)
    await route.fulfill(svg)
  })
  await driver.page.goto(`${driver.origin}/pictures.html`, { waitUntil: 'domcontentloaded' })
  await driver.look()
  await driver.on('.flag', 'click')

  expect(await driver.out()).toBe('flagged')
})

test('text is not typed into what a click would press', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(`<button id=button onclick="this.textContent = 'pressed'">Press</button>
    <div onclick="this.textContent = 'pressed'" style="cursor: pointer">Delete</div>
    <div role=option tabindex=0 onclick="this.textContent = 'pressed'">Choose</div>
    <div role=menuitemcheckbox tabindex=0 onclick="this.textContent = 'pressed'">Show</div>`)
  await driver.look()
  const useClick = { code: 'not_enabled', hint: 'Use click' }
  for (const label of ['Press', 'Delete', 'Choose', 'Show'])
    expect(await driver.failure(driver.on(label, 'type_text', { text: ' x' })), label).toMatchObject(useClick)
  const { x, y, width, height } = (await driver.page.locator('#button').boundingBox()) ?? {}
  const middle = { x: Number(x) + Number(width) / 2, y: Number(y) + Number(height) / 2 }
  expect(await driver.failure(driver.act({ action: 'type_text', text: ' x', ...middle }))).toMatchObject(useClick)
  await driver.on('Press', 'focus')
  expect(await driver.failure(driver.act({ action: 'type_text', text: ' x' }))).toMatchObject(useClick)
  expect(await driver.look()).not.toContain('pressed')
})

test('no act uses a point outside the viewport', async () => {
  const driver = await bench.open('words')
  for (const action of ['click', 'hover', 'type_text', 'scroll', 'drag_and_drop'])
    expect(await driver.failure(driver.act({ action, x: 5, y: 9_000, text: 'x', delta_y: 10 })), action).toMatchObject({
      code: 'not_visible',
    })
})

test('an element that passes its focus on has been focused', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent('<input aria-label=First onfocus="second.focus()"><input id=second aria-label=Second>')
  await driver.look()
  await driver.on('First', 'focus')
  expect(await driver.look()).toContain('Second (textbox, focused)')
})

test('a button with a wide border is clicked where nothing covers it', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(`<style>body{margin:0}button{width:200px;height:100px;border:40px solid}
    div{position:absolute;left:0;top:0;width:180px;height:100px;background:#ccc}</style>
    <button onclick="document.title = 'pressed'">Half</button><div></div>`)
  await driver.look()
  await driver.on('Half', 'click')
  expect(await driver.page.title()).toBe('pressed')
})

test('the network is idle when no request is in flight, even after the page has loaded', async () => {
  const driver = await bench.open('words')
  await driver.act({ action: 'wait_for_network_idle' })
  await driver.page.evaluate(`void fetch('/slow').then(() => { document.title = 'answered' })`)
  await driver.act({ action: 'wait_for_network_idle' })
  expect(await driver.page.title()).toBe('answered')
})

test('a page that crashes during a wait ends the wait at once, with its own error code', async () => {
  const driver = await bench.open('words')
  const waiting = driver.failure(driver.act({ action: 'wait_for_selector', selector: '#never', timeout_ms: 60_000 }))
  void driver.page.goto('chrome://crash').catch(() => undefined)
  expect(await waiting).toMatchObject({ code: 'page_crashed' })
})
