import { expect, test } from 'vitest'
import * as action from '../../../handlers/browser/page.ts'
import { stream } from '../../../handlers/browser/stream.ts'
import type { Caller } from '../../../runtime/auth/caller.ts'
import { holderOf } from '../../../runtime/browser/holder.ts'
import { liveViews } from '../../../runtime/browser/live-view.ts'
import { browserLive } from '../../../runtime/browser/state.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { call } from '../../support/call.ts'
import { adminCaller, peer, testHost } from '../../support/host.ts'
import { openBrowser, servePages } from '../../support/open-browser.ts'

type Host = Awaited<ReturnType<typeof testHost>>

/** A client of the stream, with what it was sent. */
async function watch(host: Host, caller: Caller = adminCaller) {
  const frames: Uint8Array[] = []
  const told: Record<string, unknown>[] = []
  const closed: number[] = []
  const listeners: ((text: string) => void)[] = []
  const leaving: (() => void)[] = []
  const client = { full: false }
  const context = { ...contextOf(new Request('http://127.0.0.1/api/browser/stream'), host, peer), caller }
  await stream.open(
    {
      send: (frame) => void (typeof frame === 'string' ? told.push(JSON.parse(frame)) : frames.push(frame)),
      close: (code) => void closed.push(code),
      buffered: () => (client.full ? 10_000_000 : 0),
      onMessage: (listener) => void listeners.push(listener),
      onClose: (listener) => void leaving.push(listener),
    },
    context,
    null,
  )
  const say = (message: unknown) => {
    for (const listener of listeners) listener(typeof message === 'string' ? message : JSON.stringify(message))
  }
  const leave = () => {
    for (const listener of leaving) listener()
  }
  return { frames, told, closed, client, say, leave }
}

async function open(page: string) {
  const url = await servePages({ '/': page })
  const opened = await openBrowser()
  const host = await testHost({ browser: opened })
  // The tabs of the callers of these tests.
  const browser = opened.as(holderOf({ caller: adminCaller }))
  await browser.act({ action: 'goto', url: `${url}/` })
  return { browser, host, url }
}

const isJpeg = (frame: Uint8Array | undefined) => frame?.[0] === 0xff && frame[1] === 0xd8

test('each watcher receives the frame and the state at once, and again after each change', async () => {
  const { browser, host, url } = await open('<title>Live</title><h1>Still</h1>')
  const first = await watch(host)
  await expect.poll(() => isJpeg(first.frames[0])).toBe(true)
  const second = await watch(host)
  expect(isJpeg(second.frames[0])).toBe(true)
  const page = {
    type: 'state',
    url: `${url}/`,
    title: 'Live',
    width: 1280,
    height: 720,
  }
  await expect.poll(() => second.told.at(-1)).toMatchObject(page)
  const alive = second.frames.length
  await host.clock.advance(11_000)
  expect(second.frames.length).toBeGreaterThan(alive)
  const seen = second.frames.length
  await browser.evaluate(`document.body.style.background = 'red'; document.title = 'Red'`)
  await expect.poll(() => second.frames.length).toBeGreaterThan(seen)
  await expect.poll(() => second.told.at(-1)?.title).toBe('Red')
  first.leave()
  second.leave()
  expect(liveViews(host).size).toBe(0)
})

test('a watcher that does not read misses frames and blocks nobody', async () => {
  const { browser, host } = await open('<h1>Still</h1>')
  const slow = await watch(host)
  const quick = await watch(host)
  await expect.poll(() => slow.frames.length).toBeGreaterThan(0)
  slow.client.full = true
  const [slowSeen, quickSeen] = [slow.frames.length, quick.frames.length]
  await browser.evaluate(`document.body.style.background = 'blue'`)
  await expect.poll(() => quick.frames.length).toBeGreaterThan(quickSeen)
  expect(slow.frames).toHaveLength(slowSeen)
  slow.client.full = false
  await host.clock.advance(1_000)
  expect(slow.frames.length).toBeGreaterThan(slowSeen)
  slow.leave()
  quick.leave()
})

test('clicks and typing through the view are reported as acts', async () => {
  const page = `<input aria-label="Name" style="position:absolute;left:20px;top:20px;width:200px;height:30px">
    <button style="position:absolute;left:20px;top:80px;width:100px;height:40px" onclick="document.title = 'Saved ' + document.querySelector('input').value">Save</button>`
  const { browser, host } = await open(page)
  const acts: string[] = []
  browser.onAct(({ action, element }) =>
    acts.push(`${action.action} ${element?.name ?? ''} ${action.text ?? ''}`.trim()),
  )
  const { say, leave, closed } = await watch(host)
  const click = (x: number, y: number) => {
    say({ type: 'input', input: { type: 'mouse', kind: 'down', x, y } })
    say({ type: 'mouse', kind: 'up', x, y })
  }
  click(60, 35)
  say({ type: 'text', text: 'Ada' })
  say({ type: 'key', kind: 'down', key: '!' })
  say({ type: 'key', kind: 'up', key: '!' })
  click(60, 100)
  await expect.poll(async () => (await browser.tabs())[0]?.title).toBe('Saved Ada!')
  await expect.poll(() => acts).toEqual(['click Name', 'type_text Name Ada', 'type_text Name Ada!', 'click Save'])
  expect(closed).toEqual([])
  leave()
})

test('read-only callers can watch but not act; a malformed frame closes the socket', async () => {
  const { browser, host } = await open(
    '<button onclick="document.title = 1" style="width:200px;height:200px">Go</button>',
  )
  const reader = await watch(host, { ...adminCaller, scopes: ['read'] })
  reader.say({ type: 'input', input: { type: 'mouse', kind: 'down', x: 50, y: 50 } })
  expect(reader.told.at(-1)).toMatchObject({ type: 'error', code: 'forbidden' })
  expect((await browser.tabs())[0]?.title).toBe('')
  reader.say('{"type":"input"')
  expect(reader.closed).toEqual([4400])
  reader.leave()
})

test('while a person is in control the acts of others wait, and everyone sees who is in control', async () => {
  const { browser, host } = await open('<title>Mine</title><button onclick="document.title += 1">Go</button>')
  const ada = await watch(host, { ...adminCaller, kind: 'session', name: 'Ada' })
  ada.say({ type: 'take', on: true })
  await host.clock.advance(1_000)
  await expect.poll(() => ada.told.at(-1)?.taken_by).toBe('Ada')
  const click = { body: { action: 'click', selector: 'button' } }
  let ended = false
  const agent = call(action.act, host, click).finally(() => (ended = true))
  const tab_id = (await browser.tabs())[0]?.id
  const body = { ...click.body, tab_id }
  const own = await call(action.act, host, { body, caller: { ...adminCaller, kind: 'session' } })
  expect(own.status).toBe(200)
  expect(ended).toBe(false)
  expect((await browser.tabs())[0]?.title).toBe('Mine1')
  ada.say({ type: 'take', on: false })
  expect((await agent).status).toBe(200)
  expect((await browser.tabs())[0]?.title).toBe('Mine11')
  ada.say({ type: 'take', on: true })
  ada.leave()
  expect((await call(action.act, host, click)).status).toBe(200)
})

test('a caller that waits too long for a person is refused; read-only callers cannot take control', async () => {
  const { host } = await open('<button>Go</button>')
  const reader = await watch(host, { ...adminCaller, scopes: ['read'] })
  reader.say({ type: 'take', on: true })
  expect(reader.told.at(-1)).toMatchObject({ type: 'error', code: 'forbidden' })
  expect(browserLive(host).control.nameFor('')).toBeNull()
  reader.leave()
  const ada = await watch(host)
  ada.say({ type: 'take', on: true })
  const agent = call(action.act, host, { body: { action: 'click', selector: 'button' } })
  await expect.poll(() => host.clock.advance(50_000).then(() => Promise.race([agent, null]))).toBeTruthy()
  const answer = await agent
  expect(answer.status).toBe(409)
  expect((await answer.json()).message).toContain('is in control of the browser')
  ada.leave()
})

test('each person is shown the tabs of their own agents, and uses no other’s', async () => {
  const pages = (name: string) => `<title>${name}</title><button style="width:300px;height:300px"
    onclick="document.title = '${name} clicked'">Go</button>`
  const url = await servePages({ '/ada': pages('Ada'), '/eve': pages('Eve') })
  const browser = await openBrowser()
  const host = await testHost({ browser })
  const agentOf = (owner_id: string) =>
    browser.as({ kind: 'conversation', id: `conv_${owner_id}`, name: `Agent of ${owner_id}`, owner_id })
  await agentOf('ada').act({ action: 'goto', url: `${url}/ada` })
  await agentOf('eve').act({ action: 'goto', url: `${url}/eve` })
  const [ada, eve] = await Promise.all(
    ['ada', 'eve'].map((user_id) => watch(host, { ...adminCaller, kind: 'session', user_id, name: user_id })),
  )
  await expect.poll(() => [ada, eve].map((one) => isJpeg(one?.frames[0]))).toEqual([true, true])
  const tabs = [{ title: 'Ada', active: true, leased_by: { name: 'Agent of ada' } }]
  await expect.poll(() => ada?.told.at(-1)).toMatchObject({ type: 'state', title: 'Ada', tabs })
  await expect.poll(() => eve?.told.at(-1)).toMatchObject({ type: 'state', title: 'Eve' })
  for (const kind of ['down', 'up']) ada?.say({ type: 'mouse', kind, x: 100, y: 100 })
  await expect.poll(async () => (await agentOf('ada').tabs())[0]?.title).toBe('Ada clicked')
  expect((await agentOf('eve').tabs())[0]?.title).toBe('Eve')
  const seen = ada?.frames.length ?? 0
  await agentOf('ada').evaluate(`document.body.style.background = 'red'`)
  await expect.poll(() => ada?.frames.length).toBeGreaterThan(seen)
  expect(JSON.stringify(eve?.told)).not.toContain('Ada')
  ada?.leave()
  eve?.leave()
})
