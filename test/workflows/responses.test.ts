import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { waitingCalls } from '../../runtime/workflows/hook-response.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, executionsOf, ran } from './kit.ts'

async function activated(host: MemoryHost, body: unknown) {
  const { id } = await created(host, body)
  expect(await (await call(workflows.activate, host, { params: { id } })).json()).toMatchObject({
    status: 'active',
  })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const params = { token: triggers[0].path.split('/').at(-1) }
  /** Calls the webhook, and works until it is answered. */
  const send = async (content: unknown, work: () => Promise<unknown> = () => workOff(host)) => {
    let answer: Response | undefined
    const answered = call(hooks.postHook, host, { params, body: content }).then((response) => {
      answer = response
    })
    while (!answer) {
      await work()
      await setImmediate()
    }
    await answered
    return answer
  }
  return { id, params, send }
}

const hook = (params: object) => ({ type: 'trigger.webhook', params })
const responding = (params: object) =>
  drawn({ go: hook({ response: 'respond_node' }), answer: { type: 'respond', params } }, ['go → answer'])

test('at the end, the caller gets the output of the run', async () => {
  const host = await testHost()
  const end = { type: 'set', params: { values: { total: '=input.body.a + 1' } } }
  const { send } = await activated(host, drawn({ go: hook({ response: 'at_end' }), end }, ['go → end']))
  const response = await send({ a: 6 })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ total: 7 })
})

test('a run that a webhook starts begins without a tick', async () => {
  const host = await testHost()
  const { params } = await activated(host, responding({ body: '=input.body.n + 1' }))
  const response = await call(hooks.postHook, host, { params, body: { n: 1 } })
  expect(await response.json()).toBe(2)
})

test('at the end, only the first item of a list if the webhook says so', async () => {
  const host = await testHost()
  const end = { type: 'split_out', params: { fields: ['body.rows'] } }
  const rows = [{ n: 1 }, { n: 2 }]
  const list = await activated(host, drawn({ go: hook({ response: 'at_end' }), end }, ['go → end']))
  const all = await (await list.send({ rows })).json()
  expect(all).toHaveLength(2)
  const first = hook({ response: 'at_end', first_item: true })
  const one = await activated(host, drawn({ go: first, end }, ['go → end']))
  expect(await (await one.send({ rows })).json()).toEqual(all[0])
})

test('a respond node answers with its status, headers and body, and the run continues', async () => {
  const host = await testHost()
  const answer = {
    type: 'respond',
    params: { status: '=input.body.code', body: { id: '=input.body.id' }, headers: { 'X-Kind': 'order' } },
  }
  const nodes = {
    go: hook({ response: 'respond_node' }),
    answer,
    rest: { type: 'delay', params: { seconds: 900 } },
  }
  const { id, send } = await activated(host, drawn(nodes, ['go → answer', 'answer → rest']))
  const response = await send({ code: 201, id: 'o1' })
  expect(response.status).toBe(201)
  expect(response.headers.get('x-kind')).toBe('order')
  expect(await response.json()).toEqual({ id: 'o1' })
  await host.clock.advance(900_000)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded', output: { body: { id: 'o1' } } }])
  expect(waitingCalls(host).size).toBe(0)
})

test('a page is sandboxed, and no media type makes a script of an answer', async () => {
  const host = await testHost()
  const html = { respond_with: 'text', body: '<script>1</script>', headers: { 'Content-Type': 'text/html' } }
  const page = await (await activated(host, responding(html))).send({})
  expect(page.headers.get('content-type')).toBe('text/html')
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  const policy = page.headers.get('content-security-policy')
  expect(policy).toMatch(/default-src 'none'.*; sandbox$/)
  const { send } = await activated(host, responding({ headers: { 'content-type': '=input.body.type' } }))
  const types = ['text/javascript', 'text/javascript;{{', '=text/javascript', 'application/x-ecmascript', 'text/css']
  types.push(
    'multipart/x-mixed-replace',
    'text/html, text/javascript',
    'text/html; charset=utf-7',
    'a/b\r\nset-cookie: a=b',
  )
  for (const type of types) expect((await send({ type })).status).toBe(500)
  expect((await send({ type: 'application/xml' })).status).toBe(200)
})

test.each([
  'set-cookie',
  'Content-Security-Policy',
  'clear-site-data',
  'access-control-allow-origin',
  'location',
  'link',
  'service-worker-allowed',
  'strict-transport-security',
  'www-authenticate',
  'refresh',
  'x-accel-redirect',
  'x-sendfile',
])('a workflow cannot set the header %s', async (name) => {
  const host = await testHost()
  const { id } = await created(host, responding({ headers: { [name]: 'a' } }))
  const { issues } = await (await call(workflows.validate, host, { params: { id }, body: {} })).json()
  expect(issues).toMatchObject([{ path: `nodes.answer.params.headers.${name}`, severity: 'error' }])
})

test('a redirect leads to an http or https URL only', async () => {
  const host = await testHost()
  const { send } = await activated(host, responding({ respond_with: 'redirect', url: '=input.body.url' }))
  const response = await send({ url: 'https://example.com/thanks' })
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('https://example.com/thanks')
  for (const url of ['javascript:alert(1)', '//example.com', 'data:text/html,a'])
    expect((await send({ url })).status).toBe(500)
})

test('a failed run answers 500 without saying why', async () => {
  const host = await testHost()
  const end = { type: 'stop', params: { error: 'key of the warehouse is wrong' } }
  for (const response of ['at_end', 'respond_node']) {
    const { send } = await activated(host, drawn({ go: hook({ response }), end }, ['go → end']))
    const answer = await send({})
    expect(answer.status).toBe(500)
    expect(await answer.json()).toEqual({
      error: 'workflow_failed',
      message: 'The workflow did not succeed',
      status: 500,
    })
  }
})

test('after its time the caller gets the id of the execution, which continues', async () => {
  const host = await testHost()
  const nodes = {
    go: hook({ response: 'at_end', wait_seconds: 5 }),
    end: { type: 'delay', params: { seconds: 60 } },
  }
  const { id, send } = await activated(host, drawn(nodes, ['go → end']))
  const response = await send({}, async () => {
    await workOff(host)
    await host.clock.advance(5_000)
  })
  expect(response.status).toBe(202)
  const [execution] = await executionsOf(host, id)
  expect(await response.json()).toEqual({ execution_id: execution?.id })
  await host.clock.advance(60_000)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded' }])
})

test('a run that reaches no respond node answers 202 with its id', async () => {
  const host = await testHost()
  const nodes = { go: hook({ response: 'respond_node' }), end: { type: 'set', params: {} } }
  const { send } = await activated(host, drawn(nodes, ['go → end']))
  const response = await send({})
  expect(response.status).toBe(202)
  expect(await response.json()).toEqual({ execution_id: expect.any(String) })
})

test('if the caller leaves, nobody waits and the execution continues', async () => {
  const host = await testHost()
  const nodes = {
    go: hook({ response: 'respond_node' }),
    rest: { type: 'delay', params: { seconds: 60 } },
    answer: { type: 'respond' },
  }
  const { id, params } = await activated(host, drawn(nodes, ['go → rest', 'rest → answer']))
  const caller = new AbortController()
  const answered = call(hooks.postHook, host, { params, body: { a: 1 }, signal: caller.signal })
  await expect.poll(() => waitingCalls(host).size).toBe(1)
  await workOff(host)
  caller.abort()
  await answered
  expect(waitingCalls(host).size).toBe(0)
  await host.clock.advance(60_000)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded', output: { body: { a: 1 } } }])
})

test('a respond node passes its input on when nobody waits', async () => {
  const host = await testHost()
  const nodes = { go: { type: 'trigger.manual' }, answer: { type: 'respond', params: { status: 404 } } }
  const run = await ran(host, drawn(nodes, ['go → answer']), { input: { a: 1 } })
  expect(run).toMatchObject({ status: 'succeeded', output: { a: 1 } })
})

const n8n = (webhook: object, respond: object = {}) =>
  importN8n({
    name: 'Imported',
    nodes: [
      {
        id: 'h',
        name: 'Hook',
        type: 'n8n-nodes-base.webhook',
        typeVersion: 2,
        position: [0, 0],
        parameters: { httpMethod: 'POST', ...webhook },
      },
      {
        id: 'r',
        name: 'Answer',
        type: 'n8n-nodes-base.respondToWebhook',
        typeVersion: 1.1,
        position: [0, 0],
        parameters: respond,
      },
    ],
    connections: { Hook: { main: [[{ node: 'Answer', type: 'main', index: 0 }]] } },
  })

test.each([
  [{}, 200, 'application/json', '"body":{"a":7}'],
  [{ respondWith: 'allIncomingItems' }, 200, 'application/json', '[{'],
  [{ respondWith: 'json', responseBody: '={ "b": "{{ $json.body.a }}" }' }, 200, 'application/json', '{"b":"7"}'],
  [{ respondWith: 'text', responseBody: '=a {{ $json.body.a }}' }, 200, 'text/html', 'a 7'],
  [{ respondWith: 'noData', options: { responseCode: 204 } }, 204, null, ''],
  [{ respondWith: 'redirect', redirectURL: 'https://example.com/{{' }, 302, null, ''],
  [
    {
      respondWith: 'text',
      options: { responseHeaders: { entries: [{ name: 'Content-Type', value: 'application/xml' }] } },
    },
    200,
    'application/xml',
    '',
  ],
])('an imported respond node answers as in n8n: %j', async (parameters, status, type, text) => {
  const host = await testHost()
  const { workflow, report } = n8n({ responseMode: 'responseNode' }, parameters)
  expect(report.placeholders).toEqual([])
  const response = await (await activated(host, workflow)).send({ a: 7 })
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe(type)
  expect(await response.text()).toContain(text)
})

test('the response mode of an imported webhook is kept, and what is left out is reported', () => {
  const streaming = n8n({ responseMode: 'streaming' })
  expect(streaming.workflow.nodes[0]?.params).toMatchObject({ response: 'stream', stream_format: 'json_lines' })
  expect(streaming.report.issues.map(({ field }) => field)).not.toContain('responseMode')
  const modes = [{ responseMode: 'lastNode' }, { responseMode: 'lastNode', responseData: 'allEntries' }, {}].map(
    (webhook) => n8n(webhook).workflow.nodes[0]?.params,
  )
  expect(modes).toMatchObject([{ response: 'at_end', first_item: true }, { response: 'at_end', first_item: false }, {}])
  const headers = { entries: [{ name: 'Set-Cookie', value: 'a=b' }] }
  const { report } = n8n({ responseMode: 'responseNode' }, { options: { responseHeaders: headers } })
  expect(report.issues.map(({ field }) => field)).toContain('headers.Set-Cookie')
  expect(n8n({}, { respondWith: 'jwt' }).report.placeholders).toHaveLength(1)
})

/** A webhook that answers with what its respond nodes give, one for each item and a file. */
const streaming = (rest: object, arrows: string[]) =>
  drawn(
    {
      go: hook({ response: 'stream' }),
      each: { type: 'split_out', params: { fields: ['body.parts'], into: ['part'] } },
      part: { type: 'respond', input_mode: 'item', params: { respond_with: 'text', body: '=input.part' } },
      rest: { type: 'delay', params: { seconds: 60 } },
      ...rest,
    },
    ['go → each', 'each → part', 'part → rest', ...arrows],
  )

test('a stream gets what each respond node gives, while the run goes on', async () => {
  const host = await testHost()
  const last = { type: 'respond', input_mode: 'list', params: { respond_with: 'text', body: 'end' } }
  const { id, send } = await activated(host, streaming({ last }, ['rest → last']))
  const response = await send({ parts: ['one ', 'two '] })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(response.headers.get('content-security-policy')).toContain('sandbox')
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('one ')
  expect((await reader?.read())?.value).toBe('two ')
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'waiting' }])
  await host.clock.advance(60_000)
  await workOff(host)
  expect((await reader?.read())?.value).toBe('end')
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
  expect(waitingCalls(host).size).toBe(0)
})

test('the stream of a run that fails is cut, and one that is left keeps nothing', async () => {
  const host = await testHost()
  const last = { type: 'stop', params: { error: 'no' } }
  const { send } = await activated(host, streaming({ last }, ['rest → last']))
  const [cut, left] = [await send({ parts: ['one'] }), await send({ parts: ['one'] })]
  expect(waitingCalls(host).size).toBe(2)
  await left.body?.cancel()
  expect(waitingCalls(host).size).toBe(1)
  await host.clock.advance(60_000)
  await workOff(host)
  await expect(cut.text()).rejects.toThrow('did not succeed')
  expect(waitingCalls(host).size).toBe(0)
})
