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
    '[1] First (textbox)',
    '[2] Second (textbox)',
    '[3] Third (textbox)',
    '[4] Wrapped (textbox)',
    '[5] Hint (textbox)',
    '[6] Qty (textbox)',
    '[7] Price (textbox)',
    '[8] I agree (checkbox)',
    '[9] Yes (radio)',
    '[10] No (radio)',
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
    '[3] Words (textbox)',
    '[4] Words (textbox, multiline)',
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
    '[10] Weight (textbox)',
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
