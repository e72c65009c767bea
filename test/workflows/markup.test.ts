import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import * as credentials from '../../handlers/credentials/credentials.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

const start = { type: 'trigger.manual' }

async function outcome(type: string, params: object, input: unknown = {}, host = testHost()) {
  return ran(await host, drawn({ start, node: { type, params } }, ['start → node']), { input })
}

const page =
  '<html><body><h1>Tea  <b>shop</b></h1><ul><li class="p" data-id="1">Mint\n 3</li><li class="p" data-id="2">Oolong</li></ul><input name="q" value="v"><select><option value="a">A</option><option selected>B</option></select></body></html>'

test('values of a page by selectors', async () => {
  const values = [
    { field: 'title', selector: 'h1' },
    { field: 'bare', selector: 'h1', skip: 'b' },
    { field: 'markup', selector: 'h1', take: 'html' },
    { field: 'names', selector: 'li.p', all: true },
    { field: 'ids', selector: 'li:not(:first-child)', take: 'attribute', attribute: 'data-id', all: true },
    { field: 'q', selector: 'input[name=q]', take: 'value' },
    { field: 'chosen', selector: 'select', take: 'value' },
    { field: 'none', selector: '.none' },
  ]
  expect((await outcome('html', { values }, { html: page })).output).toEqual({
    title: 'Tea shop',
    bare: 'Tea',
    markup: 'Tea <b>shop</b>',
    names: ['Mint 3', 'Oolong'],
    ids: ['2'],
    q: 'v',
    chosen: 'B',
  })
})

test('a selector that is none is an error of the node', async () => {
  const run = await outcome('html', { values: [{ field: 'a', selector: 'li[' }], html: page })
  expect(run.error?.message).toContain('not a CSS selector')
})

test('Markdown as HTML, and back', async () => {
  const text = '# A *b*\n\n- one\n- two\n\n[link](https://example.com)'
  const { output } = await outcome('markdown', { text, flavor: 'showdown' }, { kept: 1 })
  expect(output).toEqual({
    kept: 1,
    data: '<h1 id="ab">A <em>b</em></h1>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<p><a href="https://example.com">link</a></p>',
  })
  const html = (output as { data: string }).data
  const back = await outcome('markdown', { action: 'to_markdown', text: html, into: 'md', keep: false })
  expect(back.output).toEqual({ md: '# A _b_\n\n* one\n* two\n\n[link](https://example.com)' })
})

test('XML as JSON, and back', async () => {
  expect((await outcome('xml', {}, { data: '<a><b>1</b></a>' })).output).toEqual({ a: { b: '1' } })
  expect((await outcome('xml', { action: 'to_xml', keep: false, declaration: false }, { a: { b: 1 } })).output).toEqual(
    {
      data: '<a>\n  <b>1</b>\n</a>',
    },
  )
  expect((await outcome('xml', {}, { data: '<a>' })).error?.message).toContain('not XML')
})

test('entities of XML cannot grow without end', async () => {
  const levels = Array.from({ length: 12 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`)
  const data = `<!DOCTYPE a [<!ENTITY l0 "lol">${levels.join('')}]><a>&l12;</a>`
  const run = await outcome('xml', {}, { data })
  expect(JSON.stringify(run.output ?? run.error).length).toBeLessThan(2_000)
})

const rss = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="d"><channel><title>News</title><item><title>One &amp; only</title><link>https://example.com/1</link><guid isPermaLink="false">g1</guid><dc:creator>Ada</dc:creator><pubDate>Mon, 05 Jan 2026 12:00:00 GMT</pubDate><description><![CDATA[<p>Hello <b>you</b></p>]]></description><category>a</category><category>b</category></item></channel></rss>`
const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="text">Two</title><id>urn:2</id><link rel="self" href="https://example.com/self"/><link href="https://example.com/2"/><author><name>Bo</name></author><updated>2026-01-06T00:00:00Z</updated><summary>Short</summary></entry></feed>`

const answering = (text: string, status = 200) =>
  testHost({ outbound: { ...noOutbound, fetch: async () => new Response(text, { status }) } })

test('the entries of feeds are items', async () => {
  const params = { url: 'https://example.com/feed' }
  expect((await outcome('feed', params, {}, answering(rss))).output).toEqual([
    {
      creator: 'Ada',
      title: 'One & only',
      link: 'https://example.com/1',
      pubDate: 'Mon, 05 Jan 2026 12:00:00 GMT',
      content: '<p>Hello <b>you</b></p>',
      contentSnippet: 'Hello you',
      guid: 'g1',
      categories: ['a', 'b'],
      isoDate: '2026-01-05T12:00:00.000Z',
    },
  ])
  expect((await outcome('feed', params, {}, answering(atom))).output).toMatchObject([
    { title: 'Two', link: 'https://example.com/2', guid: 'urn:2', creator: 'Bo', content: 'Short' },
  ])
  expect((await outcome('feed', params, {}, answering('<html/>'))).error?.message).toContain('neither RSS nor Atom')
  expect((await outcome('feed', params, {}, answering('x', 404))).error?.code).toBe('http_404')
})

test('a token is signed, verified and read', async () => {
  const host = await testHost()
  const fields = { kind: 'hmac', header: 'x-signature', secret: 'a secret that is long enough' }
  const body = { name: 'tokens', kind: 'hmac', hosts: ['example.com'], fields }
  const made = await call(credentials.create, host, { body })
  expect([made.status, await made.clone().text()]).toEqual([201, expect.any(String)])
  const claims = { sub: 'ada', role: 'admin' }
  const credential = 'tokens'
  const signed = await outcome('jwt', { credential, claims, expires_seconds: 60 }, {}, Promise.resolve(host))
  const { token } = signed.output as { token: string }
  expect(decodeJwt(token)).toMatchObject(claims)
  const verify = (params: object) =>
    outcome('jwt', { action: 'verify', credential, ...params }, {}, Promise.resolve(host))
  expect((await verify({ token })).output).toMatchObject({ header: { alg: 'HS256' }, payload: claims })
  expect((await verify({ token: `${token}x` })).error?.message).toContain('cannot be verified')
  expect((await verify({ token, algorithm: 'HS512' })).error?.code).toBe('invalid_token')
  const from = (seconds: number) => Math.floor(host.clock.now() / 1_000) + seconds
  const later = { credential, claims: { ...claims, nbf: from(30) }, expires_seconds: 60 }
  const { token: timed } = (await outcome('jwt', later, {}, Promise.resolve(host))).output as { token: string }
  expect((await verify({ token: timed, ignore_expiration: true })).error?.code).toBe('invalid_token')
  await host.clock.advance(61_000)
  expect((await verify({ token })).error?.message).toContain('cannot be verified')
  expect((await verify({ token: timed, ignore_expiration: true })).output).toMatchObject({
    header: { alg: 'HS256' },
    payload: claims,
  })
  expect((await verify({ token: `${timed}x`, ignore_expiration: true })).error?.code).toBe('invalid_token')
  expect((await verify({ token, ignore_expiration: true })).output).toMatchObject({ payload: claims })
  expect((await verify({ token, algorithm: 'RS256' })).error?.code).toBe('invalid_key')
  expect((await outcome('jwt', { action: 'decode', token })).output).toMatchObject({ payload: claims })
})
