import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFakeClock } from '../../adapters/memory/clock.ts'
import * as page from '../../handlers/browser/page.ts'
import * as session from '../../handlers/browser/session.ts'
import * as traffic from '../../handlers/browser/traffic.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { holderOf } from '../../runtime/browser/holder.ts'
import type { Tab } from '../../runtime/tabs/schema.ts'
import { call } from '../support/call.ts'
import { adminCaller } from '../support/host.ts'
import { servePages } from '../support/open-browser.ts'
import { type OwnBrowser, openBrowser } from '../support/own-browser.ts'
import { type Bench, toolBench } from '../tools/bench.ts'

/** Notes are saved on the server, each under the name of who wrote it. */
const notes = `<title>Notes</title><form onsubmit="save(); return false">
  <input aria-label="Note" id=note><button>Save</button></form><ul id=list></ul>
  <button onclick="window.open('/second')">Window</button><button onclick="window.open('/second', '_blank', 'noopener')">Apart</button>
  <script>const save = () => {
    fetch('/save?by=' + new URLSearchParams(location.search).get('by') + '&note=' + encodeURIComponent(note.value))
    list.insertAdjacentHTML('beforeend', '<li>' + note.value); note.value = '' }</script>`

let own: OwnBrowser
let bench: Bench
let origin = ''
let saved: string[] = []
beforeAll(async () => {
  own = await openBrowser({ allowlist: ['localhost'] })
  bench = await toolBench({ browser: own.browser })
})
afterAll(() => own.close())
beforeEach(async () => {
  saved = []
  await own.browser.close()
  origin = await servePages(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    if (pathname === '/save') saved.push(`${searchParams.get('by')}: ${searchParams.get('note')}`)
    const body = pathname === '/second' ? '<title>Second</title><button>In it</button>' : notes
    response.writeHead(200, { 'content-type': 'text/html' }).end(body)
  })
})

const use = (conversation_id: string, input: Record<string, unknown>) =>
  bench.use('browser', input, { conversation_id }) as Promise<Record<string, string>>

const numberOf = ({ snapshot = '' }: Record<string, string>, label: string) =>
  Number(new RegExp(`\\[(\\d+)\\] ${label}`).exec(snapshot)?.[1])

const keyOf = (id: string, more: Partial<Caller> = {}): Caller => ({ ...adminCaller, id, name: id, ...more })
const person = (user_id: string) => keyOf(`session_${user_id}`, { kind: 'session', user_id, name: user_id })
const act = (caller: Caller, body: unknown) => call(page.act, bench.host, { body, caller })
const goto = (caller: Caller, path = '/') => act(caller, { action: 'goto', url: `${origin}${path}` })
const tabsOf = async (caller: Caller): Promise<Tab[]> =>
  (await (await call(page.listTabs, bench.host, { caller })).json()).tabs

test('two agents at once on two tabs: 40 of 40 notes are right', async () => {
  const write = async (who: string) => {
    const shown = await use(who, { action: 'open', url: `${origin}/?by=${who}` })
    const [field, button] = [numberOf(shown, 'Note'), numberOf(shown, 'Save')]
    for (let note = 1; note <= 20; note += 1) {
      const text = `${who} wrote note ${note}`
      await use(who, { action: 'act', act: 'type_text', index: field, text })
      await use(who, { action: 'act', act: 'click', index: button })
    }
    const { text } = await use(who, { action: 'read' })
    return text
  }
  const texts = await Promise.all(['ann', 'ben'].map(write))
  const wanted = (who: string) => Array.from({ length: 20 }, (_, at) => `${who} wrote note ${at + 1}`)
  await expect.poll(() => saved.length).toBe(40)
  for (const [at, who] of ['ann', 'ben'].entries()) {
    expect(saved.filter((line) => line.startsWith(`${who}:`))).toEqual(wanted(who).map((line) => `${who}: ${line}`))
    expect(texts[at]?.match(/\w+ wrote note \d+/g)).toEqual(wanted(who))
  }
})

test('two API clients have a tab each, and neither sees, uses or closes that of the other', async () => {
  const [ann, ben] = [keyOf('key_ann'), keyOf('key_ben')]
  expect(await (await goto(ann, '/?by=ann')).json()).toMatchObject({ url: `${origin}/?by=ann` })
  await goto(ben, '/?by=ben')
  const [tab] = await tabsOf(ann)
  expect(await tabsOf(ann)).toMatchObject([{ url: `${origin}/?by=ann`, leased_by: { kind: 'client', id: 'key_ann' } }])
  expect(await tabsOf(ben)).toMatchObject([{ url: `${origin}/?by=ben`, active: true }])
  const tab_id = tab?.id ?? ''
  const stranger = { caller: ben, query: { tab_id } }
  for (const read of [page.snapshot, page.text, page.screenshot, page.pdf])
    expect((await call(read, bench.host, stranger)).status, read.path).toBe(422)
  expect((await act(ben, { action: 'click', selector: 'text=Save', tab_id })).status).toBe(422)
  const script = { expression: '1', tab_id }
  expect((await call(page.evaluate, bench.host, { caller: ben, body: script })).status).toBe(422)
  for (const change of [page.closeTab, page.activateTab])
    expect((await call(change, bench.host, { caller: ben, params: { tab_id } })).status).toBe(404)
  expect(await (await call(page.snapshot, bench.host, { caller: ben })).json()).toMatchObject({
    url: `${origin}/?by=ben`,
  })
  const status = await (await call(session.status, bench.host, { caller: ann })).json()
  expect(status).toMatchObject({ current_url: `${origin}/?by=ann`, tabs: 1 })
  const { requests } = await (await call(traffic.requests, bench.host, { caller: ben })).json()
  expect(JSON.stringify(requests)).not.toContain('by=ann')
  expect(await (await call(session.close, bench.host, { caller: ben })).json()).toEqual({ closed: false })
  expect(await tabsOf(ben)).toEqual([])
  expect(await tabsOf(ann)).toHaveLength(1)
})

test.each(['Window', 'Apart'])('a window (%s) belongs to who opened it', async (button) => {
  const [ann, ben] = [keyOf('key_ann'), keyOf('key_ben')]
  await goto(ann)
  await goto(ben)
  expect(await (await act(ann, { action: 'click', selector: `text=${button}` })).json()).toMatchObject({
    title: 'Second',
  })
  expect(await tabsOf(ann)).toMatchObject([{ title: 'Notes' }, { title: 'Second', active: true }])
  expect(await tabsOf(ben)).toMatchObject([{ title: 'Notes', active: true }])
})

test('a person sees and uses the tabs of their own agents and keys, and nobody else’s', async () => {
  const [ada, eve] = [person('ada'), person('eve')]
  await goto(keyOf('key_of_ada', { user_id: 'ada' }), '/?by=key')
  const [tab] = await tabsOf(ada)
  expect(tab).toMatchObject({ url: `${origin}/?by=key`, leased_by: { name: 'key_of_ada' } })
  expect(await tabsOf(eve)).toEqual([])
  const click = { action: 'click', selector: 'text=Save', tab_id: tab?.id }
  expect((await act(eve, click)).status).toBe(422)
  expect((await act(ada, click)).status).toBe(200)
  // Without tab_id a person uses a tab of their own.
  await goto(ada, '/?by=ada')
  expect(await tabsOf(ada)).toHaveLength(2)
})

test('the tabs of a run close when it ends; those of a conversation stay for the next message', async () => {
  const end = (conversation_id: string) =>
    bench.scope.context.commit([], [{ type: 'agent.run.finished', data: { conversation_id, message_id: 'msg_1' } }])
  const kind = (name: string) => bench.host.sql.write([{ sql: 'UPDATE conversations SET kind = ?', args: [name] }])
  await use('conv_1', { action: 'open', url: `${origin}/` })
  await end('conv_1')
  await expect(use('conv_1', { action: 'tabs' })).resolves.toMatchObject({ tabs: [{ title: 'Notes' }] })
  await kind('scheduled')
  await end('conv_1')
  await expect.poll(() => own.browser.tabs()).toEqual([])
  await kind('user')
})

test('the tabs of an idle client close; those of a person and of a client in use stay', async () => {
  const clock = createFakeClock()
  const slow = await openBrowser({ allowlist: ['localhost'], clock })
  try {
    const [ada, idle, busy] = [person('ada'), keyOf('key_idle'), keyOf('key_busy')].map((caller) =>
      slow.browser.as(holderOf({ caller })),
    )
    for (const user of [ada, idle, busy]) await user?.act({ action: 'goto', url: `${origin}/` })
    await clock.advance(6 * 60_000)
    await busy?.text()
    await clock.advance(6 * 60_000)
    await busy?.text()
    const names = async () => (await slow.browser.tabs()).map(({ leased_by }) => leased_by?.name)
    await expect.poll(names).toEqual(['ada', 'key_busy'])
  } finally {
    await slow.close()
  }
})

test('parallel calls of one conversation use its tab one after the other', async () => {
  const [one, two] = await Promise.all(
    ['one', 'two'].map((by) => use('conv_1', { action: 'open', url: `${origin}/?by=${by}` })),
  )
  expect([one?.url, two?.url]).toEqual([`${origin}/?by=one`, `${origin}/?by=two`])
})
