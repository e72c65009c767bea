import { expect, test } from 'vitest'
import { defaultSetup } from '../../support/browser-setup.ts'
import { openBrowser, servePages } from '../../support/open-browser.ts'

const visitor = `JSON.stringify([navigator.language, [...navigator.languages], new Date(0).toLocaleDateString(undefined, { month: 'long', timeZone: 'UTC' })])`
const inWorker = `new Promise((resolve) => {
  const script = URL.createObjectURL(new Blob(['postMessage(navigator.language)']))
  new Worker(script).onmessage = ({ data }) => resolve(data) })`

test.each([
  [null, 'en-US', 'January'],
  ['de-AT', 'de-AT', 'Jänner'],
])('the locale %s is %s for pages, workers and servers', async (locale, language, month) => {
  const sent: (string | undefined)[] = []
  const url = await servePages(({ headers }, response) => {
    sent.push(headers['accept-language'])
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>page</title>')
  })
  const browser = await openBrowser()
  await browser.configure({ ...defaultSetup, profile: { ...defaultSetup.profile, locale } })
  await browser.act({ action: 'goto', url })
  expect(JSON.parse(String(await browser.evaluate(visitor)))).toEqual([
    language,
    expect.arrayContaining([language]),
    month,
  ])
  expect(await browser.evaluate(inWorker)).toBe(language)
  expect(sent[0]?.split(/[,;]/)[0]).toBe(language)
})

test.each([
  [
    'Übersicht März 2026.txt',
    { 'content-disposition': "attachment; filename*=UTF-8''%C3%9Cbersicht%20M%C3%A4rz%202026.txt" },
  ],
  [
    '報告書 الأول.txt',
    { 'content-disposition': `attachment; filename="${Buffer.from('報告書 الأول.txt').toString('latin1')}"` },
  ],
  ['Žluťoučký kůň.txt', {}],
])('a download keeps its name %s', async (name, headers) => {
  const url = await servePages((request, response) => {
    if (request.url === '/file')
      return response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end('hello')
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(`<a href=/file download="${name}">Get</a>`)
  })
  const browser = await openBrowser()
  await browser.act({ action: 'goto', url })
  await browser.act({ action: 'click', selector: 'text=Get' })
  await expect
    .poll(() => browser.downloads(), { timeout: 8_000 })
    .toMatchObject([{ name: name.normalize('NFC'), status: 'done' }])
})

/** A site that asks for a user name and password, and embeds a page of its own. */
const closed = () => {
  const tried: (string | undefined)[] = []
  const url = servePages(({ headers, url }, response) => {
    tried.push(headers.authorization)
    const given = Buffer.from(headers.authorization?.slice(6) ?? '', 'base64').toString()
    if (given !== 'ada:correct horse')
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="Closed"' }).end('<title>Closed</title>')
    const body =
      url === '/inner'
        ? '<title>Inner</title>'
        : '<title>Open</title><iframe src=/inner></iframe><a target=_blank href=/inner>In</a>'
    response.writeHead(200, { 'content-type': 'text/html' }).end(body)
  })
  return { url, tried }
}

test('a site that asks by HTTP gets its own user name and password; other sites get none', async () => {
  const [site, other] = [closed(), closed()]
  const [url, otherUrl] = [await site.url, await other.url]
  const browser = await openBrowser()
  const goto = (address: string) => browser.act({ action: 'goto', url: address }).catch(() => null)
  await goto(url)
  expect((await browser.tabs())[0]?.title).not.toBe('Open')
  const credentials = [{ origin: url, username: 'ada', password: 'correct horse' }]
  await browser.configure({ ...defaultSetup, credentials })
  expect(await goto(url)).toMatchObject({ title: 'Open' })
  expect(await browser.act({ action: 'click', selector: 'text=In' })).toMatchObject({ title: 'Inner' })
  const eve = browser.as({ kind: 'person', id: 'eve', name: 'Eve', owner_id: 'eve' })
  expect(await eve.act({ action: 'goto', url })).toMatchObject({ title: 'Open' })
  await goto(otherUrl)
  expect(other.tried.filter(Boolean)).toEqual([])
  await browser.close()
  expect(await goto(url)).toMatchObject({ title: 'Open' })
})

test('each site is sent its own credentials only', async () => {
  const [site, other] = [closed(), closed()]
  const [url, otherUrl] = [await site.url, await other.url]
  const browser = await openBrowser()
  const credentials = [
    { origin: otherUrl, username: 'bob', password: 'for the other site' },
    { origin: url, username: 'ada', password: 'correct horse' },
  ]
  await browser.configure({ ...defaultSetup, credentials })
  expect(await browser.act({ action: 'goto', url })).toMatchObject({ title: 'Open' })
  expect(new Set(site.tried.filter(Boolean))).toEqual(new Set([`Basic ${btoa('ada:correct horse')}`]))
})

test('a wrong password is tried once', async () => {
  const site = closed()
  const url = await site.url
  const browser = await openBrowser()
  const credentials = [{ origin: url, username: 'ada', password: 'wrong' }]
  await browser.configure({ ...defaultSetup, credentials })
  await browser.act({ action: 'goto', url }).catch(() => null)
  expect(site.tried.filter(Boolean)).toHaveLength(1)
  await browser.configure(defaultSetup)
  await browser.act({ action: 'goto', url }).catch(() => null)
})
