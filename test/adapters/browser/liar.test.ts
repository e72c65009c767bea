import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Action } from '../../../runtime/tabs/schema.ts'
import { type OwnBrowser, openBrowser } from '../../support/own-browser.ts'
import { serve } from './driver.ts'

/** A page that lies in its own world of all that it could be asked, and counts how often it was. */
let own: OwnBrowser
let server: Server
let origin = ''

beforeAll(async () => {
  server = await serve()
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
  own = await openBrowser({ allowlist: [new URL(origin).host] })
})

afterAll(async () => {
  await own.close()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

beforeEach(() => own.browser.act({ action: 'goto', url: `${origin}/liar.html` }))
afterEach(async () => expect(await truth('asked')).toBe(0))

const truth = (what: string) => own.browser.evaluate(`truth('${what}')`)
const out = () => own.browser.evaluate('out.textContent')
const act = (action: Action) => own.browser.act(action)
const file = { name: 'a.txt', mime_type: 'text/plain', bytes: new TextEncoder().encode('hello') }

test.each<[string, Action, string, unknown]>([
  ['a field is typed into', { action: 'type_text', selector: '#name', text: 'new' }, 'name', 'new'],
  ['a field is emptied', { action: 'type_text', selector: '#name', text: '' }, 'name', ''],
  ['a long field is typed into', { action: 'type_text', selector: '#notes', text: 'new' }, 'notes', 'new'],
  ['a date is set', { action: 'type_text', selector: '#day', text: '3/29/2026' }, 'day', '2026-03-29'],
  ['an editor is typed into', { action: 'type_text', selector: '#essay', text: 'new' }, 'essay', 'new'],
  ['an entry is chosen', { action: 'select_option', selector: '#colour', value: 'Blue' }, 'colour', 'Blue'],
  ['a box is checked', { action: 'check', selector: '#agree' }, 'agree', true],
  ['a box stays unchecked', { action: 'uncheck', selector: '#agree' }, 'agree', false],
  ['a field is focused', { action: 'focus', selector: '#name' }, 'focus', 'name'],
  ['a key is pressed', { action: 'press_key', selector: '#name', key: 'End x' }, 'name', 'oldx'],
  ['a list is scrolled', { action: 'scroll', selector: '#list', delta_y: 120 }, 'scrolled', 120],
])('%s as it is, not as the page says', async (_, action, what, is) => {
  await act(action)
  await expect.poll(() => truth(what)).toBe(is)
})

test.each<[string, Action]>([
  ['a field that is fixed', { action: 'type_text', selector: '#fixed', text: 'x' }],
  ['a date that is none', { action: 'type_text', selector: '#day', text: 'noon' }],
  ['an entry that is off', { action: 'select_option', selector: '#colour', value: 'Grey' }],
  ['a box that does not heed', { action: 'check', selector: '#never' }],
  ['what takes no focus', { action: 'focus', selector: '#plain' }],
])('%s is refused, whatever the page says', async (_, action) => {
  await expect(act(action)).rejects.toMatchObject({ code: 'not_enabled' })
  expect(await truth('fixed')).toBe('as it was')
})

test('the focused element loses the focus', async () => {
  await act({ action: 'focus', selector: '#name' })
  await act({ action: 'blur' })
  expect(await truth('focus')).toBe('')
  await act({ action: 'focus', selector: '#name' })
  await act({ action: 'blur', selector: '#name' })
  expect(await truth('focus')).toBe('')
})

test('the text of an element is selected', async () => {
  const to = { selector: '#plain' }
  await act({ action: 'drag_and_drop', selector: '#plain', to })
  expect(await truth('selected')).toBe('A plain line')
})

test('an element is dragged from its real position to that of another', async () => {
  await act({ action: 'drag_and_drop', selector: '#grip', to: { selector: '#basket' } })
  expect(await out()).toBe('grip basket')
})

test('files reach the field and the drop zone, and no disabled field', async () => {
  await own.browser.upload({ selector: '#paper' }, [file])
  expect(await truth('paper')).toBe('a.txt')
  await own.browser.upload({ selector: '#asks' }, [{ ...file, name: 'b.txt' }])
  expect(await truth('paper')).toBe('b.txt')
  await own.browser.upload({ selector: '#zone' }, [file])
  expect(await out()).toBe('dropped a.txt')
  await expect(own.browser.upload({ selector: '#closed' }, [file])).rejects.toMatchObject({
    code: 'not_enabled',
  })
})

test('the whole page is scrolled, and an element is scrolled into view', async () => {
  await act({ action: 'scroll', delta_y: 50 })
  await act({ action: 'scroll_to_element', selector: '#list p:last-child' })
  expect(await truth('scrolled')).toBeGreaterThan(200)
})

test("a person's input is reported with the element it affected", async () => {
  const told: unknown[] = []
  const stop = own.browser.onAct(({ action, element }) => told.push([action, element?.name]))
  await act({ action: 'focus', selector: '#name' })
  await own.browser.input({ type: 'text', text: 'x' })
  await act({ action: 'click', x: 30, y: 40 })
  stop()
  expect(told.slice(1)).toMatchObject([
    [{ action: 'type_text', text: expect.stringContaining('x') }, 'Name'],
    [{ action: 'click' }, 'Keep'],
  ])
})

test('a step that follows a trace finds its element', async () => {
  const { snapshot } = await own.browser.snapshot()
  const index = Number(/\[(\d+)\] Pay/.exec(snapshot)?.[1])
  await act({ action: 'click', index })
  expect(await out()).toBe('pay 0')
})

test('the pointer acts at the real position of elements', async () => {
  await act({ action: 'hover', selector: '#basket' })
  await act({ action: 'double_click', selector: 'text="Keep"' })
  await act({ action: 'right_click', selector: '#grip' })
  expect(await out()).toBe('keep keep grip')
})

test('a page that claims to be loading is not mistaken for the next one', async () => {
  await expect(act({ action: 'wait_for_navigation', timeout_ms: 300 })).rejects.toMatchObject({
    code: 'timeout',
  })
})

test('a page cannot fake anything inside a frame', async () => {
  await act({ action: 'goto', url: `${origin}/framed?of=liar.html` })
  await act({ action: 'type_text', selector: '#name', text: 'new' })
  await act({ action: 'select_option', selector: '#colour', value: 'Blue' })
  await own.browser.upload({ selector: '#paper' }, [file])
  const { snapshot } = await own.browser.snapshot()
  await act({ action: 'check', index: Number(/\[(\d+)\] Agree/.exec(snapshot)?.[1]) })
  await act({ action: 'drag_and_drop', selector: '#grip', to: { selector: '#basket' } })
  const told = await own.browser.evaluate(
    `['name', 'colour', 'paper', 'agree', 'asked'].map((what) => String(frames[0].truth(what))).join(' ')`,
  )
  expect(told).toBe('new Blue a.txt true 0')
  await act({ action: 'goto', url: `${origin}/liar.html` })
})
