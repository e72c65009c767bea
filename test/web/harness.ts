import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright'
import { expect, onTestFinished } from 'vitest'
import type { Session } from '../../web/api/session.ts'
import { startWire, type Wire } from '../fixtures/wire/index.ts'
import { launchChromium } from '../support/browser.ts'
import { builtUi } from '../support/built-ui.ts'
import { type TestDaemon, testDaemon } from '../support/daemon.ts'

/** A browser on a busy machine takes its time; a step that never comes still says so by itself. */
const stepTimeout = 60_000

export const password = 'correct horse battery'

export interface Ui extends AsyncDisposable {
  daemon: TestDaemon
  browser: Browser
  /** Calls the API as the administrator; throws what is not a success. */
  api<Answer = unknown>(method: string, path: string, body?: unknown): Promise<Answer>
  /** A fresh browser profile; `signedIn: false` is one that never was here. */
  open(path: string, options?: BrowserContextOptions & { signedIn?: boolean }): Promise<Page>
  /** What no page may have: exceptions, and everything that the page's security policy refused. */
  complaints: string[]
}

interface UiOptions {
  env?: Record<string, string>
  /** False leaves the daemon as it is on its first start. */
  setUp?: boolean
}

/** A page that no test looks at any more still renders. What is opened outside of a test is for several and stays. */
function closeWithTest(context: BrowserContext): void {
  try {
    onTestFinished(() => context.close())
  } catch {}
}

/** A real daemon with the built UI, a real Chromium, and an administrator called Ada. */
export async function startUi({ env, setUp = true }: UiOptions = {}): Promise<Ui> {
  const [browser, web_folder] = await Promise.all([launchChromium(), builtUi()])
  const daemon = await testDaemon({ web_folder, ...(env && { env }) })
  const session = setUp ? await setUpAda(daemon.url) : null
  const complaints: string[] = []

  return {
    daemon,
    browser,
    complaints,
    async api(method, path, body) {
      const headers = {
        'content-type': 'application/json',
        ...(session && { authorization: `Bearer ${session.token}` }),
      }
      const response = await fetch(daemon.url + path, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
      return response.json()
    },
    async open(path, { signedIn = true, ...options } = {}) {
      const localStorage = [{ name: 'hearthd.session', value: JSON.stringify(session) }]
      const kept = { cookies: [], origins: [{ origin: daemon.url, localStorage }] }
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: 'reduce',
        // What a worker answers is seen by no route.
        serviceWorkers: 'block',
        ...(signedIn && session && { storageState: kept }),
        ...options,
      })
      closeWithTest(context)
      context.setDefaultTimeout(stepTimeout)
      const page = await context.newPage()
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (/Content Security Policy|hydrat|Warning:/i.test(message.text())) complaints.push(message.text())
      })
      await page.goto(daemon.url + path)
      return page
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await daemon.close()
    },
  }
}

/** The same with a model, `openai/model-a`, whose vendor is `wire`. Disposing the UI closes both. */
export async function startUiWithModel(): Promise<{ ui: Ui; wire: Wire }> {
  const [ui, wire] = await Promise.all([startUi(), startWire()])
  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  const dispose = async () => {
    await ui[Symbol.asyncDispose]()
    await wire.close()
  }
  return { ui: { ...ui, [Symbol.asyncDispose]: dispose }, wire }
}

async function setUpAda(url: string): Promise<Session> {
  const response = await fetch(`${url}/api/setup/admin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password, display_name: 'Ada Lovelace' }),
  })
  const { session, user } = (await response.json()) as { session: Session; user: { id: string } }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${session.token}` }
  const profile = { display_name: 'Ada', timezone: 'Europe/Berlin' }
  await fetch(`${url}/api/settings/profile`, { method: 'PUT', headers, body: JSON.stringify(profile) })
  return { ...session, user_id: user.id }
}

/**
 * Fails with the rule, the element and the reason for each thing that would keep somebody out.
 * `rules` are axe's; default all.
 */
export async function expectAccessible(page: Page, rules: string[] = []): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(runAxe, rules)
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`))
  expect(serious).toEqual([])
}

/** Half of the time of a check is its script, so a page gets it once. There are no frames. */
const axeSource = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)

type Results = Awaited<ReturnType<AxeBuilder['analyze']>>

/** Runs in the page. */
function runAxe(rules: string[]): Promise<Results> {
  const { axe } = window as unknown as { axe: { run(root: Document, options: object): Promise<Results> } }
  return axe.run(document, {
    resultTypes: ['violations'],
    ...(rules.length > 0 && { runOnly: { type: 'rule', values: rules } }),
  })
}

/** Goes to a page as a link does: script and session are not loaded again. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((address) => {
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}

/** Pixels by which the page can be scrolled sideways, once what moves has arrived. */
export const sidewaysOverflow = (page: Page) =>
  page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number(effect?.getComputedTiming().endTime) < Infinity)
    await Promise.allSettled(ending.map(({ finished }) => finished))
    return document.documentElement.scrollWidth - document.documentElement.clientWidth
  })
