import type { CDPSession } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cast, PausingCast, SteadyCast } from '../../../adapters/browser/frames.ts'
import { launchChromium } from '../../support/browser.ts'

type Chromium = Awaited<ReturnType<typeof launchChromium>>

let chromium: Chromium
beforeAll(async () => {
  chromium = await launchChromium()
})
afterAll(() => chromium.close())

const moving = `<body><script>
  let at = 0
  setInterval(() => { document.body.style.background = 'rgb(' + (at += 40) % 256 + ', 0, 0)' }, 50)
</script>`

/** The real session, but for what is said in the moment in which one page takes the place of another. */
const sessionWith = (session: CDPSession, refuses: (method: string) => Promise<never> | null): CDPSession =>
  new Proxy(session, {
    get: (target, name) =>
      name === 'send'
        ? (method: 'Page.enable', given: object) => refuses(method) ?? target.send(method, given as never)
        : Reflect.get(target, name).bind(target),
  })

/** How many pictures have come of a page that moves. */
async function casting(
  make: (session: CDPSession) => Cast,
  options: { fps: number; refuses: Parameters<typeof sessionWith>[1] },
) {
  const page = await chromium.newPage()
  await page.setContent(moving)
  const session = await page.context().newCDPSession(page)
  const cast = make(sessionWith(session, options.refuses))
  let pictures = 0
  const put = () => {
    pictures += 1
  }
  const started = cast.start({ page, options: { fps: options.fps, quality: 50 }, put })
  const end = async () => {
    await started
    await cast.stop()
    await page.close()
  }
  return { pictures: () => pictures, end }
}

test('a paused screencast resumes even if the page rejects the first attempt', async () => {
  let starts = 0
  const { pictures, end } = await casting((session) => new PausingCast(session), {
    fps: 4,
    refuses(method) {
      if (method !== 'Page.startScreencast') return null
      starts += 1
      return starts === 2 ? Promise.reject(new Error('Not attached to an active page')) : null
    },
  })
  await expect.poll(pictures).toBeGreaterThan(4)
  await end()
})

test('a recording starts at once even if a requested screenshot never arrives', async () => {
  const never = new Promise<never>(() => undefined)
  const { pictures, end } = await casting((session) => new SteadyCast(session), {
    fps: 12,
    refuses: (method) => (method === 'Page.getLayoutMetrics' ? never : null),
  })
  await expect.poll(pictures).toBeGreaterThan(2)
  await end()
})
