import type { Page } from 'playwright'
import { launchChromium } from '../support/browser.ts'
import { builtUi } from '../support/built-ui.ts'
import { testDaemon } from '../support/daemon.ts'
import { seedConversation } from '../support/seed-chat.ts'
import { percentile, type Row } from './table.ts'

const long = 10_000
const short = 4
const rounds = 9
const scrolls = 40

/** Milliseconds from the click on a conversation to the frame in which its last message stands on the screen. */
const openTime = (page: Page, { id, last }: { id: string; last: string }) =>
  page.evaluate(
    async ([path, message]) => {
      const link = document.querySelector<HTMLElement>(`a[href="${path}"]`)
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const begun = performance.now()
      link?.click()
      for (;;) {
        await frame()
        const row = document.getElementById(message)
        const box = row?.closest('section')?.getBoundingClientRect()
        const place = row?.getBoundingClientRect()
        if (box && place && row?.textContent?.includes('black') && place.top < box.bottom) break
      }
      // What this frame shows is painted when the next one begins.
      await frame()
      return performance.now() - begun
    },
    [`/chat/${id}`, last] as const,
  )

/** Milliseconds of each frame while a person scrolls up through older pages. */
const scrollFrames = (page: Page) =>
  page.evaluate(async (steps) => {
    const box = document.querySelector('section[aria-label="Messages"]')
    const frames: number[] = []
    for (let step = 0; step < steps; step += 1) {
      const begun = performance.now()
      box?.scrollBy({ top: -600 })
      await new Promise((resolve) => requestAnimationFrame(resolve))
      frames.push(performance.now() - begun)
    }
    return frames
  }, scrolls)

/** A real daemon on a local file and a real Chromium, both on this machine. */
export async function run(): Promise<Row[]> {
  const [browser, web_folder] = await Promise.all([launchChromium(), builtUi()])
  const daemon = await testDaemon({ web_folder })
  const seeded = await seedConversation(daemon.host, { title: 'Long', count: long })
  const few = await seedConversation(daemon.host, { title: 'Short', count: short })
  const target = { id: seeded.id, last: seeded.messages.at(-1) ?? '' }
  const other = { id: few.id, last: few.messages.at(-1) ?? '' }
  const session = await signIn(daemon.url)
  const localStorage = [{ name: 'hearthd.session', value: JSON.stringify(session) }]
  const state = { cookies: [], origins: [{ origin: daemon.url, localStorage }] }

  const first: number[] = []
  const again: number[] = []
  const small: number[] = []
  const frames: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, storageState: state })
    const page = await context.newPage()
    await page.goto(`${daemon.url}/chat`)
    await page.locator(`a[href="/chat/${other.id}"]`).waitFor()
    first.push(await openTime(page, target))
    small.push(await openTime(page, other))
    again.push(await openTime(page, target))
    if (round === 0) frames.push(...(await scrollFrames(page)))
    await context.close()
  }
  await browser.close()
  await daemon.close()
  return [
    { what: `open ${long} messages, first of a page, p50`, value: percentile(first, 0.5), unit: 'ms' },
    { what: `open ${long} messages, first of a page, slowest`, value: Math.max(...first), unit: 'ms' },
    { what: `open ${short} messages, next, p50`, value: percentile(small, 0.5), unit: 'ms' },
    { what: `open ${long} messages, next, p50`, value: percentile(again, 0.5), unit: 'ms' },
    { what: 'frame while scrolling up, p50', value: percentile(frames, 0.5), unit: 'ms' },
    { what: 'frame while scrolling up, p95', value: percentile(frames, 0.95), unit: 'ms' },
  ]
}

async function signIn(url: string): Promise<unknown> {
  const body = JSON.stringify({ username: 'bench', password: 'correct horse battery' })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/api/setup/admin`, { method: 'POST', headers, body })
  return ((await response.json()) as { session: unknown }).session
}
