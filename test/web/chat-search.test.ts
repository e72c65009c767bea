import type { Locator } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seedConversation } from '../support/seed-chat.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

/** Where the middle of it stands, from the top of the messages. */
const placeOf = (row: Locator) =>
  row.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    const box = element.closest('section')?.getBoundingClientRect()
    if (!box) throw new Error('it is outside of the messages')
    return { middle: (top + bottom) / 2 - box.top, top: top - box.top, height: box.height }
  })

test('an old search result opens its conversation there, and both ends load more', async () => {
  const { id, messages } = await seedConversation(ui.daemon.host, { title: 'Tea <b>room</b>', count: 600 })
  const page = await ui.open('/chat')
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('question 200')
  const hit = page.getByRole('link').filter({ has: page.locator('mark', { hasText: '200' }) })
  await hit.getByText('Tea <b>room</b>').waitFor()
  await hit.click()

  await page.waitForURL(`**/chat/${id}?at=${messages[200]}`)
  const row = page.locator(`#${messages[200]}`)
  await row.getByText('Question 200:').waitFor()
  await expect.poll(async () => (await row.getAttribute('data-found')) !== null).toBe(true)
  await expect
    .poll(async () => {
      const { middle, height } = await placeOf(row)
      return middle > 0 && middle < height
    })
    .toBe(true)
  expect(await page.locator(`#${messages[599]}`).count()).toBe(0)
  await expectAccessible(page)

  const scroller = page.getByRole('region', { name: 'Messages' })
  await scroller.hover()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 4_000)
      return page.locator(`#${messages[270]}`).count()
    })
    .toBe(1)
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  const last = page.locator(`#${messages[599]}`)
  await last.getByText('Answer 599').waitFor()
  await expect.poll(async () => (await placeOf(last)).top < (await placeOf(last)).height).toBe(true)
  await expect.poll(() => page.getByRole('button', { name: 'Regenerate' }).count()).toBe(1)
  expect(ui.complaints).toEqual([])
})

test('2,000 messages open at their end, and only a window of them is ever on the page', async () => {
  const { id, messages } = await seedConversation(ui.daemon.host, { title: 'Very long', count: 2_000 })
  const page = await ui.open(`/chat/${id}`)
  const last = page.locator(`#${messages[1_999]}`)
  await last.getByText('Answer 1999').waitFor()
  await page.getByRole('region', { name: 'Messages' }).hover()
  const most = await page.evaluate(async (first) => {
    const box = document.querySelector('section[aria-label="Messages"]') as HTMLElement
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    let [rows, nodes] = [0, 0]
    while (!document.getElementById(first)) {
      box.dispatchEvent(new WheelEvent('wheel'))
      box.scrollTo({ top: 0 })
      await frame()
      rows = Math.max(rows, box.querySelectorAll('li[data-role]').length)
      nodes = Math.max(nodes, document.querySelectorAll('*').length)
    }
    return { rows, nodes }
  }, messages[0] ?? '')
  expect(most.rows).toBeLessThanOrEqual(200)
  expect(most.nodes).toBeLessThan(12_000)

  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await last.getByText('Answer 1999').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('How much is 15 % of 240?')
  await page.getByRole('textbox', { name: 'Message' }).press('Enter')
  const answer = page.getByRole('article').last()
  await answer.getByText('36').first().waitFor()
  await expect.poll(async () => (await placeOf(answer)).top < (await placeOf(answer)).height).toBe(true)
})

test('scrolling down from an old message reaches the latest one within the window', async () => {
  const { id, messages } = await seedConversation(ui.daemon.host, { title: 'Downwards', count: 500 })
  const page = await ui.open(`/chat/${id}?at=${messages[10]}`)
  await page.locator(`#${messages[10]}`).waitFor()
  await page.getByRole('region', { name: 'Messages' }).hover()
  const rows = page.locator('li[data-role]')
  const downwards = async () => {
    await page.mouse.wheel(0, 4_000)
    expect(await rows.count()).toBeLessThanOrEqual(200)
    return page.locator(`#${messages[499]}`).count()
  }
  await expect.poll(downwards).toBe(1)
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
})

test('the message being read stays in place while older ones are added above', async () => {
  const { id, messages } = await seedConversation(ui.daemon.host, { title: 'Long talk', count: 300 })
  const page = await ui.open(`/chat/${id}`)
  await page.locator(`#${messages[299]}`).waitFor()
  expect(await page.locator(`#${messages[240]}`).count()).toBe(0)
  await page.getByRole('region', { name: 'Messages' }).hover()
  const moved = await page.evaluate(async (known) => {
    const box = document.querySelector('section[aria-label="Messages"]') as HTMLElement
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const firstSeen = () =>
      [...box.querySelectorAll('li[id]')].find((row) => row.getBoundingClientRect().bottom > box.offsetTop + 60)
    for (let height = 0; height !== box.scrollHeight; ) {
      height = box.scrollHeight
      for (let count = 0; count < 10; count += 1) await frame()
    }
    const jumps: number[] = []
    while (!document.getElementById(known)) {
      box.dispatchEvent(new WheelEvent('wheel'))
      box.scrollBy({ top: -200 })
      await frame()
      const row = firstSeen()
      const before = row?.getBoundingClientRect().top ?? 0
      await frame()
      await frame()
      jumps.push(Math.abs((row?.getBoundingClientRect().top ?? 0) - before))
    }
    return Math.max(...jumps)
  }, messages[200] ?? '')
  expect(moved).toBeLessThan(3)
})
