import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bench, openBench } from './driver.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.close())

test('form fields are named by the text next to them', async () => {
  const { text } = await bench.open('labels')
  expect(text.split('\n')).toEqual([
    '[1] First (textbox, label from text nearby)',
    '[2] Second (textbox, label from text nearby)',
    '[3] Third (textbox, label from text nearby)',
    '[4] Wrapped (textbox)',
    '[5] Hint (textbox)',
    '[6] Qty (textbox, label from text nearby)',
    '[7] Price (textbox, label from text nearby)',
    '[8] I agree (checkbox, label from text nearby)',
    '[9] Yes (radio, label from text nearby)',
    '[10] No (radio, label from text nearby)',
  ])
})

test('equal buttons include the text of their row, and every ref is different', async () => {
  const driver = await bench.open('rows')
  expect(driver.text).toContain('Delete (button, in "Ada Lovelace ada@example.org')
  expect(driver.text).toContain('Delete (button, in "Bob Stone bob@example.org')
  const refs = driver.view?.elements.map(({ ref }) => ref) ?? []
  expect(new Set(refs).size).toBe(refs.length)
})

test('equal texts in a drawing are distinguished by their style, fields by their rows', async () => {
  const driver = await bench.open('legend')
  expect(driver.text.split('\n')).toEqual([
    '[1] Q1 (text, rgb(255,0,0), 12px)',
    '[2] Q1 (text, rgb(0,0,255), 24px)',
    '[3] Words (textbox, label from text nearby)',
    '[4] Words (textbox, multiline, label from text nearby)',
  ])
})

test('elements without text are named by a unique class, their icon, or the pictures in their row', async () => {
  const { text } = await bench.open('icons')
  expect(text.replace(/ at \S+ size \S+/g, '').split('\n')).toEqual([
    '[1] .grow .ctl .round rgb(204,204,221) (button)',
    '[2] .shrink .ctl .round rgb(204,204,221) (button)',
    '[3] .set-pencil .set .btn (button)',
    '[4] .set-bin .set .btn (button)',
    '[5] .btn .bell (button)',
    '[6] + (clickable, in "Soup fish")',
    '[7] + (clickable, in "Salad nuts leaves")',
    '[8] .act .heart rgb(204,204,221) (clickable, in "Rain")',
    '[9] .act .heart .kept rgb(204,204,221) (clickable, in "Snow")',
    '[10] Weight (textbox, label from text nearby)',
    '[11] Terms (textbox, value "one two three four five six", multiline, disabled, scrollable)',
  ])
})

test('a page cannot forge lines, and its overrides change nothing', async () => {
  const { text } = await bench.open('hostile')
  const lines = text.split('\n')
  expect(lines[0]).toBe('[1] One (button)')
  expect(lines[1]).toBe('[2] Two (1) Pay now (button) evil (button)')
  expect(lines[2]?.length).toBeLessThan(130)
  expect(lines.every((line, at) => line.startsWith(`[${at + 1}] `))).toBe(true)
  expect(text).toContain('Heard (clickable)')
})

test('frames are listed at their position; hidden ones are left out', async () => {
  const { text } = await bench.open('frames')
  const lines = text.split('\n')
  expect(lines.at(0)).toContain('Outer')
  expect(lines.at(-1)).toContain('Last')
  expect(text).toContain('Inner (button, in "frame ?nested")')
  expect(text).not.toContain('hidden')
})

test('a difference lists what is new and what is gone', async () => {
  const driver = await bench.open('tabs')
  await driver.on('More', 'click')
  const text = await driver.look({ diff: true })
  expect(text).toContain('In details (button)')
  expect(text).toContain('More (button, expanded')
  expect(text).not.toContain('General')
})

test('a page of 20,000 elements is listed within the limit, visible elements first', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(
    Array.from({ length: 20_000 }, (_, at) => `<p><a href="#${at}">Link ${at}</a></p>`).join(''),
  )
  const text = await driver.look({ max_chars: 5_000 })
  expect(text.length).toBeLessThanOrEqual(5_000)
  expect(text).toMatch(/^\[\d+\] Link 0 \(link\)/)
  expect(driver.view?.elements.length).toBeGreaterThan(10_000)
})

test('a page that does not respond produces an error, not a hang', async () => {
  const driver = await bench.open('words')
  await driver.page.evaluate(
    () =>
      void setTimeout(() => {
        for (;;);
      }, 0),
  )
  expect(await driver.failure(driver.look())).toMatchObject({ code: 'timeout' })
})

test('a press whose handler never returns ends', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent('<button onclick="for (;;);">Save</button>')
  await driver.look()
  expect(await driver.failure(driver.on('Save', 'click'))).toBeDefined()
})

/** As frameworks do it: one listener on the root for every click on the page. */
const delegating = `<div id=root><h1>Orders</h1>${Array.from({ length: 40 }, (_, at) => `<div><h3>Order ${at}</h3><p>Paid on <b>Monday</b> by <i>card</i></p></div>`).join('')}
  <button>Save</button><a href=/x>Help</a><span style="cursor:pointer">Archive</span><div tabindex=0>Focus</div></div>
  <script>root.addEventListener('click', () => {})</script>`

test('a listener on the root makes only what looks usable a target', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(delegating)
  const lines = (await driver.look()).split('\n').filter((line) => !line.includes('(text)'))
  expect(lines.map((line) => line.replace(/^\[\d+\] /, '').replace(/ \(.*/, ''))).toEqual([
    'Save',
    'Help',
    'Archive',
    'Focus',
  ])
})

/** As React does it: every type of event on the root, and an empty `onclick` on what has a handler of its own. */
const react = `<div id=root>${Array.from({ length: 40 }, (_, at) => `<div><div>Order ${at}</div><div>Paid on <span>Monday</span> by <span>card</span></div></div>`).join('')}
  <button>Save</button><div class=own>Archive</div></div><script>
    for (const name in HTMLElement.prototype) if (name.startsWith('on')) root.addEventListener(name.slice(2), () => {})
    document.querySelector('.own').onclick = () => {}</script>`

test('a page of div and span whose framework listens on its root lists what has a handler', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(react)
  const lines = (await driver.look()).split('\n').filter((line) => !line.includes('(text)'))
  expect(lines.map((line) => line.replace(/^\[\d+\] /, '').replace(/ \(.*/, ''))).toEqual(['Save', 'Archive'])
})

test('a target of two elements is one line; what is inert is none', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent(`<ul><li class=a><span>Inbox</span></li><li class=a><span>Sent</span></li></ul>
    <div class=a><a href=/x>Help</a></div><div inert><button>Behind</button></div>
    <script>for (const one of document.querySelectorAll('.a, span')) one.addEventListener('click', () => {})</script>`)
  const lines = (await driver.look()).split('\n')
  expect(lines.map((line) => line.replace(/^\[\d+\] /, '').replace(/ \(.*/, ''))).toEqual(['Inbox', 'Sent', 'Help'])
  await driver.page.setContent(`<button>Behind</button><dialog><button>Inside</button></dialog>
    <script>document.querySelector('dialog').showModal()</script>`)
  expect(await driver.look()).toMatch(/^\[\d+\] Inside \(button[^\n]*$/)
})

test('a label that is borrowed from the text nearby says so', async () => {
  const driver = await bench.open('words')
  await driver.page.setContent('Phone <input><br><input aria-label=Street><label>City <input></label>')
  const lines = await driver.look()
  expect(lines).toContain('Phone (textbox, label from text nearby)')
  expect(lines).toContain('Street (textbox)')
  expect(lines).toContain('City (textbox)')
})
