import { expect, test } from 'vitest'
import * as recordings from '../../handlers/browser/recordings.ts'
import { cancel, replay } from '../../handlers/browser/recordings.ts'
import { holderOf } from '../../runtime/browser/holder.ts'
import type { RecordingDetail, Replay } from '../../runtime/browser/recordings/schema.ts'
import type { Action } from '../../runtime/tabs/schema.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { openBrowser, servePages } from '../support/open-browser.ts'

/** The browser as the caller of these tests has it, and the host. */
async function browserOfTest() {
  const opened = await openBrowser()
  const host = await testHost({ browser: opened })
  return { browser: opened.as(holderOf({ caller: adminCaller })), host }
}

/** The same shop before and after a rewrite: other ids, classes, tags around, and another order. */
const before = `<title>Shop</title>
<form id="f1" onsubmit="return false">
  <label for="n">Your name</label> <input id="n" class="a">
  <label>E-mail <input id="e" type="email"></label>
  <input id="p" type="password" aria-label="Password">
  <input id="c" placeholder="Promo code">
  <label><input id="t" type="checkbox"> I agree</label>
  <label><input type="radio" name="s" id="s1" value="a"> Pick up</label>
  <label><input type="radio" name="s" id="s2" value="b"> Delivery</label>
  <label>Country <select id="l"><option>France</option><option>Peru</option></select></label>
  <textarea id="m" aria-label="Message"></textarea>
  <button id="b1" class="x1" type="button" onclick="more.hidden = false">More options</button>
  <div id="more" hidden><a href="#gift" id="g">Gift wrap</a></div>
</form>
<table><tr><td>Tea</td><td><button onclick="add('tea')">Add</button></td></tr>
<tr><td>Coffee</td><td><button onclick="add('coffee')">Add</button></td></tr></table>
<div data-testid="cart" onclick="add('cart')"><svg width="20" height="20"><rect width="20" height="20"/></svg></div>
<iframe id="fr" srcdoc="<button onclick='parent.add(&quot;frame&quot;)'>Inside</button>"></iframe>
<button id="done" onclick="finish()">Place order (2)</button>`

const after = `<title>Shop</title><header><h1>Welcome</h1><button id="b1" onclick="add('wrong')">Menu</button><input id="n" aria-label="Search"></header>
<main class="grid"><section><button class="btn-99" onclick="finish()"><span>Place order (7)</span></button></section>
<iframe title="new" srcdoc="<p>New</p><section><button class='q' onclick='parent.add(&quot;frame&quot;)'>Inside</button></section>"></iframe>
<span class="zz" data-testid="cart" onclick="add('cart')"><svg width="30" height="30"><circle r="9" cx="9" cy="9"/></svg></span>
<ul><li><span>Coffee</span> <p><button onclick="add('coffee')">Add</button></p></li>
<li><span>Cake</span> <p><button onclick="add('wrong')">Add</button></p></li>
<li><span>Tea</span> <p><button onclick="add('tea')">Add</button></p></li></ul>
<div><button class="btn-1" onclick="setTimeout(() => { late.innerHTML = '<a href=#gift>Gift wrap</a>' }, 700)">More options</button><p id="late"></p></div>
<div><div><textarea id="q9" aria-label="Message"></textarea></div>
<div><span id="cl">Country</span><select aria-labelledby="cl" id="q8"><option>Chile</option><option>Peru</option><option>France</option></select></div>
<fieldset><label><input type="radio" name="zz" value="b"> Delivery</label><label><input type="radio" name="zz" value="a"> Pick up</label></fieldset>
<label for="q5">I agree</label><input type="checkbox" id="q5">
<input class="k" placeholder="Promo code"><input type="password" class="k" aria-label="Password">
<label for="q2">E-mail</label><input id="q2" class="k" type="email"><label for="q1">Your name</label><input id="q1"></div></main>`

const script = `<script>
const log = []; window.add = (what) => log.push(what)
const finish = () => { document.title = 'Done'; window.order = { log, fields: [...document.querySelectorAll('input, select, textarea')]
  .filter((f) => f.ariaLabel !== 'Search')
  .map((f) => f.type === 'radio' || f.type === 'checkbox' ? (f.checked ? f.value : '') : f.value).filter(Boolean).sort(), hash: location.hash } }
</script>`

const acts: Action[] = [
  { action: 'type_text', selector: '#n', text: 'Ada' },
  { action: 'type_text', selector: '#e', text: 'ada@example.com' },
  { action: 'type_text', selector: '#p', text: 'correct horse' },
  { action: 'type_text', selector: '#c', text: 'SAVE10' },
  { action: 'check', selector: '#t' },
  { action: 'click', selector: '#s1' },
  { action: 'click', selector: '#s2' },
  { action: 'select_option', selector: '#l', value: 'Peru' },
  { action: 'type_text', selector: '#m', text: 'Please ring' },
  { action: 'hover', selector: '#b1' },
  { action: 'click', selector: '#b1' },
  { action: 'click', selector: '#g' },
  { action: 'click', selector: 'tr:nth-child(2) button' },
  { action: 'click', selector: 'tr:nth-child(1) button' },
  { action: 'click', selector: '[data-testid=cart]' },
  { action: 'click', selector: 'text=Inside' },
  { action: 'focus', selector: '#n' },
  { action: 'press_key', selector: '#n', key: 'End' },
  { action: 'type_text', selector: '#n', text: 'Ada Lovelace' },
  { action: 'click', selector: '#done' },
]

async function shop() {
  let page = before
  const url = await servePages((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page + script)
  })
  const { browser, host } = await browserOfTest()
  const rewrite = () => {
    page = after
  }
  return { url, browser, host, rewrite }
}

const json = async <Value>(response: Promise<Response>) => (await (await response).json()) as Value

async function recorded({ browser, host, url }: Awaited<ReturnType<typeof shop>>): Promise<string> {
  await browser.act({ action: 'goto', url })
  const { recording_id } = await json<{ recording_id: string }>(
    call(recordings.start, host, { body: { name: 'Order' } }),
  )
  for (const action of acts) await browser.act(action)
  await call(recordings.stop, host)
  return recording_id
}

test('twenty steps are replayed after the ids, classes, tags and order of a page have changed', async () => {
  const place = await shop()
  const { browser, host, rewrite } = place
  const recording_id = await recorded(place)
  const first = await browser.evaluate('window.order')
  expect(first).toMatchObject({ log: ['coffee', 'tea', 'cart', 'frame'], hash: '#gift' })
  rewrite()
  const body = { speed: 0, variables: { password: 'correct horse' }, wait_seconds: 60 }
  const done = await json<Replay>(call(replay, host, { params: { id: recording_id }, body }))
  expect(done.steps.filter(({ status }) => status !== 'completed')).toEqual([])
  expect(done).toMatchObject({ status: 'completed', error: null })
  expect(done.steps).toHaveLength(20)
  expect(done.steps[19]?.locator_used).toBe('role=button[name~="Place order (2)"]')
  expect(await browser.evaluate('window.order')).toEqual(first)
  expect(host.events).toContain('browser.recording.finished')
  expect(host.events.filter((type) => type === 'browser.replay.finished')).toHaveLength(1)
})

test('a password is a variable: no row, file or event contains it, and a replay requires it', async () => {
  const place = await shop()
  const { host } = place
  const id = await recorded(place)
  const { variables, steps, file_path } = await json<RecordingDetail>(call(recordings.show, host, { params: { id } }))
  expect(variables).toEqual(['password'])
  expect(steps[2]?.action.text).toBe('{{password}}')
  const file = await host.files.read('recordings', `${id}.json`)
  expect(file_path).toBe(`recordings/${id}.json`)
  const rows = await host.sql.read('SELECT step FROM browser_recording_steps UNION ALL SELECT data FROM events')
  expect(JSON.stringify(rows) + new TextDecoder().decode(file ?? undefined)).not.toContain('correct horse')
  const refused = await call(replay, host, { params: { id }, body: { variables: { other: 'x' } } })
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({ issues: [{ path: 'variables.password' }] })
})

test('a failed step ends the replay, or is skipped on request', async () => {
  const url = await servePages({
    '/': '<title>One</title><button onclick="this.remove()">Once</button><button onclick="document.title += 2">Again</button>',
    '/gone': '<title>One</title><button onclick="document.title += 2">Again</button>',
  })
  const { browser, host } = await browserOfTest()
  const start = await json<{ recording_id: string }>(call(recordings.start, host, { body: { name: 'Two' } }))
  await browser.act({ action: 'goto', url: `${url}/` })
  await browser.act({ action: 'click', selector: 'text=Once', timeout_ms: 3_000 })
  await browser.act({ action: 'click', selector: 'text=Again' })
  await call(recordings.stop, host)
  await browser.mock({
    url_pattern: `${url}/`,
    status_code: 200,
    body: '<button onclick="document.title = 3">Again</button>',
    headers: {},
  })
  const params = { id: start.recording_id }
  const strict = await json<Replay>(call(replay, host, { params, body: { speed: 0, wait_seconds: 60 } }))
  expect(strict.status).toBe('failed')
  expect(strict.steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'skipped'])
  expect(strict.steps[1]?.error).toContain('"Once"')
  const loose = await json<Replay>(
    call(replay, host, { params, body: { speed: 0, stop_on_error: false, wait_seconds: 60 } }),
  )
  expect(loose.steps.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed'])
})

test('pauses are scaled from the recording; a waiting replay can be cancelled', async () => {
  const url = await servePages({ '/': '<button>Go</button>' })
  const { browser, host } = await browserOfTest()
  const { recording_id } = await json<{ recording_id: string }>(
    call(recordings.start, host, { body: { name: 'Slow' } }),
  )
  await browser.act({ action: 'goto', url })
  await browser.act({ action: 'click', selector: 'text=Go' })
  await call(recordings.stop, host)
  await host.sql.write([
    { sql: `UPDATE browser_recording_steps SET step = json_set(step, '$.at_ms', 60000) WHERE position = 1` },
  ])
  const params = { id: recording_id }
  const begun = await call(replay, host, { params, body: { speed: 1, wait_seconds: 0 } })
  expect(begun.status).toBe(202)
  const { replay_id } = (await begun.json()) as Replay
  expect((await call(recordings.start, host, { body: { name: 'No' } })).status).toBe(409)
  const ended = await json<Replay>(call(cancel, host, { params: { id: replay_id } }))
  expect(ended.status).toBe('cancelled')
})

test('recordings are listed, renamed and deleted with their file', async () => {
  const url = await servePages({ '/': '<button>Go</button>' })
  const { browser, host } = await browserOfTest()
  expect((await call(recordings.stop, host)).status).toBe(409)
  const { recording_id: id } = await json<{ recording_id: string }>(
    call(recordings.start, host, { body: { name: 'A' } }),
  )
  expect((await call(recordings.start, host, { body: { name: 'B' } })).status).toBe(409)
  await browser.act({ action: 'goto', url })
  const result = await json(call(recordings.stop, host))
  expect(result).toMatchObject({ recording_id: id, action_count: 1, file_path: `recordings/${id}.json` })
  await call(recordings.update, host, { params: { id }, body: { name: 'Renamed' } })
  expect(await json(call(recordings.list, host))).toMatchObject({
    total: 1,
    recordings: [{ name: 'Renamed' }],
  })
  const written = new TextDecoder().decode((await host.files.read('recordings', `${id}.json`)) ?? undefined)
  expect(JSON.parse(written)).toMatchObject({ name: 'Renamed', recording_id: id, steps: [{}] })
  await call(recordings.remove, host, { params: { id } })
  expect(await json(call(recordings.list, host))).toMatchObject({ total: 0 })
  expect(await host.files.read('recordings', `${id}.json`)).toBeNull()
})

test('a secret in an address is also a variable, and is sent unchanged', async () => {
  const { browser, host, url } = await shop()
  await call(recordings.start, host, { body: { name: 'Link' } })
  await browser.act({ action: 'goto', url: `${url}?page=2&token=s3cr3t%26more` })
  const { recording_id } = await json<{ recording_id: string }>(call(recordings.stop, host))
  const params = { id: recording_id }
  const kept = await json<RecordingDetail>(call(recordings.show, host, { params }))
  expect(kept.variables).toEqual(['token'])
  expect(JSON.stringify(kept)).not.toContain('s3cr3t')
  expect((await call(replay, host, { params, body: { speed: 0 } })).status).toBe(422)
  await call(replay, host, { params, body: { speed: 0, variables: { token: 's3cr3t&more' } } })
  expect(await browser.evaluate('location.search')).toBe('?page=2&token=s3cr3t%26more')
})

test('a recording that starts on a page with a secret in its address reopens it with the variable', async () => {
  const { browser, host, url } = await shop()
  await browser.act({ action: 'goto', url: `${url}?token=s3cr3t&key=C-major` })
  await call(recordings.start, host, { body: { name: 'Within' } })
  await browser.act({ action: 'click', selector: '#b1' })
  const result = await json<{ recording_id: string }>(call(recordings.stop, host))
  expect(result).toMatchObject({ variables: ['token'] })
  const params = { id: result.recording_id }
  const kept = await json<RecordingDetail>(call(recordings.show, host, { params }))
  expect(kept.start_url).toBe(`${url}/?token={{token}}&key=C-major`)
  const refused = await call(replay, host, { params, body: { speed: 0 } })
  expect(refused.status).toBe(422)
  expect((await refused.json()).message).toContain('the variable token')
  await browser.act({ action: 'goto', url: 'about:blank' })
  const body = { speed: 0, variables: { token: 's3cr3t' } }
  const done = await json<Replay>(call(replay, host, { params, body }))
  expect(done).toMatchObject({ status: 'completed', error: null })
  expect(await browser.evaluate('location.search')).toBe('?token=s3cr3t&key=C-major')
})
