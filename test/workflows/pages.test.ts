import { describe, expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, ran, started } from './kit.ts'

const url = 'https://api.example.com/items?limit=2'
const start = { type: 'trigger.manual' }

/** A service with the items 0 to 4, whose pages end with an empty list. Returns the requests as `METHOD path?query body`. */
async function service(respond?: (request: Request) => Response | undefined) {
  const requests: string[] = []
  const outbound = {
    ...noOutbound,
    async fetch(address: string | URL, init: RequestInit = {}) {
      const request = new Request(String(address), init)
      const { pathname, search, searchParams: query } = new URL(request.url)
      const text = await request.text()
      requests.push(`${request.method} ${pathname}${search}${text && ` ${text}`}`)
      const own = respond?.(request)
      if (own) return own
      const skip = Number(query.get('skip') ?? (text ? JSON.parse(text).skip : 0) ?? 0)
      const items = [0, 1, 2, 3, 4].slice(skip, skip + 2).map((id) => ({ id }))
      const next = skip + 2 < 5 ? `https://api.example.com/items?limit=2&skip=${skip + 2}` : null
      const has_items = items.length > 0
      return Response.json(query.has('wrapped') ? { items, next } : items, { status: has_items ? 200 : 404 })
    },
  }
  return { host: await testHost({ outbound }), requests }
}

const pagesOf = (pages: object, params: object = {}) =>
  drawn({ start, get: { type: 'http', params: { url, only_body: true, pages, ...params } } }, ['start → get'])

const ids = [0, 1, 2, 3, 4].map((id) => ({ id }))
const skip = [{ name: 'skip', value: 'page * 2' }]

describe('a request asks for page after page', () => {
  test('with a parameter that changes, until a status, which is no error then', async () => {
    const { host, requests } = await service()
    expect(await ran(host, pagesOf({ change: skip, until: 'status' }))).toMatchObject({ output: ids })
    expect(requests).toEqual([0, 2, 4, 6].map((at) => `GET /items?limit=2&skip=${at}`))
  })

  test('at the address that an answer names, until there is none', async () => {
    const { host, requests } = await service()
    const params = { query: { wrapped: 1, skip: 0 }, transform: 'return input.items' }
    expect((await ran(host, pagesOf({ next: 'response.body.next' }, params))).output).toEqual(ids)
    expect(requests.map((request) => request.split('?')[1])).toEqual([
      'limit=2&wrapped=1&skip=0',
      'limit=2&skip=2&wrapped=1',
      'limit=2&skip=4&wrapped=1',
    ])
  })

  test('until an expression is true, with the expressions of the workflow beside those of the page', async () => {
    const { host } = await service()
    const pages = { change: skip, until: 'expression', expression: 'page = input.n and $count(response.body) = 2' }
    expect((await ran(host, pagesOf(pages), { input: { n: 2 } })).output).toEqual(ids.slice(0, 4))
  })

  test('at most as many times as it says, with a body that changes', async () => {
    const { host, requests } = await service()
    const pages = { change: [{ in: 'body', name: 'skip', value: 'page * 2' }], max: 2 }
    const body = { method: 'POST', body: { kind: 'all' } }
    expect((await ran(host, pagesOf(pages, body))).output).toEqual(ids.slice(0, 4))
    expect(requests).toEqual([0, 2].map((at) => `POST /items?limit=2 ${JSON.stringify({ kind: 'all', skip: at })}`))
  })

  test('with a pause between them', async () => {
    const { host, requests } = await service()
    const { id } = await created(host, pagesOf({ change: skip, max: 2, pause_seconds: 5 }))
    const run = await started(host, id)
    const worked = workOff(host)
    await expect.poll(() => requests.length).toBe(1)
    expect((await execution(host, run)).status).toBe('running')
    await host.clock.advance(5_000)
    await worked
    expect(await execution(host, run)).toMatchObject({ status: 'succeeded', output: ids.slice(0, 4) })
  })
})

test.each([
  ['an error that is not the end', { change: skip }, 'http_404'],
  ['an address that is none', { next: '"page 2"' }, 'pages'],
  ['the same answer again and again', { change: [{ name: 'other', value: 'page' }], max: null }, 'pages'],
  ['a list as a parameter', { change: [{ name: 'skip', value: '[1, 2]' }] }, 'invalid_params'],
])('pages fail with %s', async (_, pages, code) => {
  const { host } = await service()
  expect(await ran(host, pagesOf(pages))).toMatchObject({ status: 'failed', error: { code } })
})

describe('pages of an imported request', () => {
  const imported = (pagination: object, rest: object = {}) => {
    const parameters = {
      url: 'https://api.example.com/items',
      sendQuery: true,
      queryParameters: { parameters: [{ name: 'limit', value: '2' }] },
      options: { pagination: { pagination }, ...rest },
    }
    const get = { name: 'Get', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.1, parameters }
    const nodes = [{ name: 'Start', type: 'n8n-nodes-base.manualTrigger' }, get]
    return importN8n({ nodes, connections: { Start: { main: [[{ node: 'Get', type: 'main', index: 0 }]] } } })
  }
  const changing = { parameters: { parameters: [{ name: 'skip', value: '={{ $pageCount * 2 }}' }] } }

  test.each([
    ['an empty answer', changing, ids],
    [
      'a status',
      { ...changing, paginationCompleteWhen: 'receiveSpecificStatusCodes', statusCodesWhenComplete: '404, 410' },
      ids,
    ],
    [
      'an expression',
      { ...changing, paginationCompleteWhen: 'other', completeExpression: '={{ $response.statusCode === 404 }}' },
      ids,
    ],
    [
      'an expression without a value',
      { ...changing, paginationCompleteWhen: 'other', completeExpression: '={{ $response.body.no.more }}' },
      ids.slice(0, 2),
    ],
    ['a number of pages', { ...changing, limitPagesFetched: true, maxRequests: '={{ 1 + 1 }}' }, ids.slice(0, 4)],
    [
      // n8n takes the address of the node if the expression has no value.
      'a number of pages, at the same address',
      {
        paginationMode: 'responseContainsNextURL',
        nextURL: '={{ $response.body.next }}',
        limitPagesFetched: true,
        maxRequests: 2,
      },
      [...ids.slice(0, 2), ...ids.slice(0, 2)],
    ],
  ])('end with %s', async (_, pagination, output) => {
    const { host } = await service()
    const { workflow, report } = imported(pagination)
    expect(report).toMatchObject({ issues: [], placeholders: [] })
    expect((await ran(host, workflow)).output).toEqual(output)
  })

  test('have no next address that is none', async () => {
    const { host } = await service()
    const { workflow } = imported({ paginationMode: 'responseContainsNextURL', nextURL: '={{ null }}' })
    expect(await ran(host, workflow)).toMatchObject({
      error: { message: expect.stringContaining("'null' is not a valid URL.") },
    })
  })

  test.each([
    ['nothing changes', { parameters: { parameters: [{ name: '', value: '' }] } }],
    ['the end is not known', { ...changing, paginationCompleteWhen: 'other', completeExpression: 'true' }],
  ])('have no equivalent if %s', (_, pagination) => {
    expect(imported(pagination).report.placeholders).toHaveLength(1)
  })

  test('are full responses, with the names of n8n', async () => {
    const respond = () => new Response('Hi', { statusText: 'Fine', headers: { 'content-type': 'text/plain' } })
    const { host } = await service(respond)
    const response = { response: { fullResponse: true } }
    const { workflow } = imported({ ...changing, limitPagesFetched: true, maxRequests: 1 }, { response })
    expect((await ran(host, workflow)).output).toEqual([
      { data: 'Hi', headers: { 'content-type': 'text/plain' }, statusCode: 200, statusMessage: 'Fine' },
    ])
  })
})

describe('items pause between each other', () => {
  const rows = [{ n: 0 }, { n: 2 }, { n: 4 }]

  test('as many at once as it says; what waits survives a restart', async () => {
    const { host, requests } = await service()
    const params = { url: `${url}&skip={{ input.n }}`, only_body: true }
    const node = { type: 'http', params, concurrency: 2, pause_seconds: 60 }
    const { id } = await created(host, drawn({ start, node }, ['start → node']))
    const run = await started(host, id, { input: rows })
    await workOff(host)
    expect(requests).toHaveLength(2)
    expect(await execution(host, run)).toMatchObject({ status: 'waiting', waiting_for: [{ kind: 'retry' }] })
    await host.clock.advance(60_000)
    await workOff(host)
    expect(await execution(host, run)).toMatchObject({ status: 'succeeded', output: ids })
  })

  test.each([
    [{ batching: { batch: { batchSize: 3, batchInterval: 2_000 } } }, { concurrency: 3, pause_seconds: 2 }],
    [{ batching: { batch: { batchSize: 100, batchInterval: 10_000 } } }, { concurrency: 20, pause_seconds: 2 }],
    [{ batching: { batch: { batchSize: 0 } } }, { concurrency: 1, pause_seconds: 1 }],
    [
      { batchSize: 1, batchInterval: 150 },
      { concurrency: 1, pause_seconds: 0.15 },
    ],
    [{ batching: { batch: { batchSize: 9, batchInterval: 0 } } }, { concurrency: 1 }],
  ])('by the options %j of an imported request', (options, expected) => {
    const parameters = { url, options }
    const { workflow, report } = importN8n({
      nodes: [{ name: 'Get', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.1, parameters }],
    })
    expect(workflow.nodes[0]).toMatchObject(expected)
    expect(report.issues).toEqual([])
  })
})
