import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type OwnBrowser, openBrowser } from '../../support/own-browser.ts'
import { serve } from './driver.ts'

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

beforeEach(() => own.browser.act({ action: 'goto', url: `${origin}/files.html` }))

const file = (name: string) => ({ name, mime_type: 'text/plain', bytes: new TextEncoder().encode('hello') })
const give = (selector: string, ...names: string[]) => own.browser.upload({ selector }, names.map(file))
const out = () => own.browser.evaluate(`document.getElementById('out').textContent`)

test.each([
  ['a field', '#single', 'single:a.txt'],
  ['a field of many', '#multiple', 'multiple:a.txt'],
  ['a label around a hidden field', '#labelled', 'labelled:a.txt'],
  ['a label of a field elsewhere', '#apart', 'apart:a.txt'],
  ['what holds one field', '#group', 'beside:a.txt'],
  ['a button beside its field', '#beside', 'beside:a.txt'],
  ['a button that makes a field', '#made', 'made:a.txt'],
  ['a picture that is a button', '#icon', 'icon:a.txt'],
  ['a place to drop files', '#zone', 'zone:a.txt'],
  ['a place to drop files that has a field too', '#full', 'full:a.txt'],
  ['a button of a form that would send it', '#clip', 'chat:a.txt'],
  ['a button in a shadow root', '#inner', 'shadow:a.txt'],
])('%s takes a file', async (_, selector, told) => {
  await give(selector, 'a.txt')
  await expect.poll(out).toBe(told)
})

test.each(['#multiple', '#zone', '#full'])('%s accepts several files at once', async (selector) => {
  await give(selector, 'a.txt', 'b.txt')
  await expect.poll(out).toMatch(/:a\.txt,b\.txt$/)
})

test.each([
  ['a button of something else', '#delete'],
  ['what sends the form', '#send'],
  ['what sends the form beside its field', '#post'],
  ['a link', '#link'],
  ['a plain text', '#text'],
  ['a field that is off', '#off'],
])('%s is refused, and nothing is clicked', async (_, selector) => {
  const failure = await give(selector, 'a.txt').catch((thrown) => thrown)
  expect(failure).toMatchObject({ code: 'not_enabled' })
  expect(await out()).toBe('')
  expect(await own.browser.tabs()).toMatchObject([{ title: 'files' }])
})

test('the refusal lists the available fields', async () => {
  const failure = await give('#delete', 'a.txt').catch((thrown) => thrown)
  expect(failure.hint).toMatch(/#single.*#multiple/)
})

test('a button that only appears to ask for files is refused after it does not', async () => {
  const failure = await give('#sly', 'a.txt').catch((thrown) => thrown)
  expect(failure).toMatchObject({ code: 'not_enabled' })
})

test('a single-file field refuses two files and keeps its current one', async () => {
  await give('#single', 'a.txt')
  const failure = await give('#single', 'b.txt', 'c.txt').catch((thrown) => thrown)
  expect(failure).toMatchObject({ code: 'not_enabled', message: expect.stringMatching(/one file/) })
  expect(await own.browser.evaluate(`document.getElementById('single').files[0].name`)).toBe('a.txt')
})

test('files are uploaded by the number in the snapshot', async () => {
  const { snapshot } = await own.browser.snapshot()
  const index = Number(/\[(\d+)\] Photo/.exec(snapshot)?.[1])
  await own.browser.upload({ index }, [file('a.txt')])
  expect(await out()).toBe('labelled:a.txt')
})
