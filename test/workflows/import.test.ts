import { describe, expect, test } from 'vitest'
import * as catalog from '../../handlers/workflows/catalog.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { translateText } from '../../runtime/workflows/n8n/script.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { created, drawn, ran } from './kit.ts'

const ids = new Map([
  ['HTTP Request', 'http_request'],
  ['Set', 'set'],
])

describe('expressions of n8n that mean exactly the same', () => {
  test.each([
    ['={{ $json.name }}', '=input.name'],
    ['=Hello {{ $json.user.name }}!', 'Hello {{ input.user.name }}!'],
    ['={{ $json["Order Number"] }}', '=input.`Order Number`'],
    ['={{ $node["HTTP Request"].json.items[0].id }}', '=nodes.http_request.output.items[0].id'],
    [`={{ $('Set').item.json.x }}`, '=nodes.set.output.x'],
    [`={{ $('Set').first().json["x y"] }}`, '=nodes.set.output.`x y`'],
    ['={{ $json.total > 10 && $json.kind === "a" }}', '=input.total > 10 and input.kind = "a"'],
    ['={{ $json.ok === true ? "yes" : "no" }}', '=(input.ok = true ? "yes" : "no")'],
    ['={{ "Order " + $json.id }}', '="Order " & input.id'],
    ['={{ $json.name.toUpperCase() }}', '=$uppercase(input.name)'],
    ['={{ $json.price * 2 - 1 }}', '=input.price * 2 - 1'],
    ['plain text', 'plain text'],
  ])('%s', (text, expected) => {
    expect(translateText(text, ids)).toBe(expected)
  })
})

test.each([
  '={{ $json.items.length }}',
  '={{ $json.a == $json.b }}',
  '={{ $json.a + $json.b }}',
  '={{ $json.list.map(x => x.id) }}',
  `={{ $('Nobody').item.json.x }}`,
  '={{ $env.SECRET }}',
  '={{ $json.name || "x" }}',
  '={{ $json.name.trim() }}',
])('%s has no exact equivalent', (text) => {
  expect(() => translateText(text, ids)).toThrow()
})

const node = (name: string, type: string, parameters: object = {}, rest: object = {}) => ({
  ...{ id: name, name, type: `n8n-nodes-base.${type}`, typeVersion: 1, position: [0, 0], parameters },
  ...rest,
})

const to = (...names: string[]) => names.map((one) => ({ node: one, type: 'main', index: 0 }))

test('a file of n8n runs after its import', async () => {
  const host = await testHost()
  const file = {
    name: 'Orders',
    nodes: [
      node('When clicking', 'manualTrigger'),
      node(
        'Edit Fields',
        'set',
        {
          assignments: { assignments: [{ name: 'total', value: '={{ $json.price * 2 }}', type: 'number' }] },
        },
        { typeVersion: 3.4 },
      ),
      node(
        'If',
        'if',
        {
          conditions: {
            conditions: [
              {
                leftValue: '={{ $json.total }}',
                rightValue: 5,
                operator: { type: 'number', operation: 'gt' },
              },
            ],
            combinator: 'and',
          },
        },
        { typeVersion: 2 },
      ),
      node('Code', 'code', {
        jsCode:
          'return [{ json: { text: "big " + $input.first().json.total, from: $("When clicking").item.json.price } }]',
      }),
      node('No Operation', 'noOp'),
      node('Slack', 'slack', { channel: '#orders', text: '={{ $json.text }}' }),
      node('Sticky Note', 'stickyNote', { content: '## Orders\n{{ not an expression }}' }),
    ],
    connections: {
      'When clicking': { main: [to('Edit Fields')] },
      'Edit Fields': { main: [to('If')] },
      If: { main: [to('Code'), to('No Operation')] },
      Code: { main: [to('Slack')] },
    },
    settings: { timezone: 'Europe/Berlin' },
  }
  const response = await call(catalog.importFile, host, { query: { format: 'n8n' }, body: file })
  const { workflow, report } = await response.json()
  expect(report).toEqual({
    nodes: 7,
    placeholders: [
      { node_id: 'slack', name: 'Slack', type: 'n8n-nodes-base.slack', reason: 'There is no node like it' },
    ],
    issues: [],
  })
  expect(workflow.settings.timezone).toBe('Europe/Berlin')
  const done = await ran(host, workflow, { input: { price: 4 } })
  expect(done).toMatchObject({ status: 'succeeded', output: { text: 'big 8', from: 4 } })
})

test('loops, switches, merges, waits and requests keep their outputs', () => {
  const { workflow, report } = importN8n({
    name: 'Loop',
    nodes: [
      node('Every day', 'scheduleTrigger', { rule: { interval: [{ field: 'days', triggerAtHour: 9 }] } }),
      node('Loop Over Items', 'splitInBatches', { batchSize: 2, options: {} }, { typeVersion: 3 }),
      node('HTTP Request', 'httpRequest', {
        url: '=https://api.example.com/{{ $json.id }}',
        sendQuery: true,
        queryParameters: { parameters: [{ name: 'q', value: '={{ $json.q }}' }] },
        authentication: 'genericCredentialType',
      }),
      node('Wait', 'wait', { amount: 5, unit: 'minutes' }),
      node('Switch', 'switch', {
        dataType: 'string',
        value1: '={{ $json.kind }}',
        rules: { rules: [{ value2: 'a' }, { value2: 'b', output: 1 }] },
      }),
      node('Merge', 'merge', { mode: 'append' }),
      node('Bad', 'set', { values: { string: [{ name: 'n', value: '={{ $json.list.length }}' }] } }),
      node('Sub', 'executeWorkflow', { workflowId: '12' }),
    ],
    connections: {
      'Every day': { main: [to('Loop Over Items')] },
      'Loop Over Items': { main: [to('Merge'), to('HTTP Request')] },
      'HTTP Request': { main: [to('Wait')] },
      Wait: { main: [to('Switch')] },
      Switch: { main: [to('Bad'), to('Sub')] },
      Bad: { main: [to('Loop Over Items')] },
    },
  })
  expect(
    workflow.edges.map(({ source, source_output, target }) => `${source}:${source_output} ${target}`),
  ).toEqual([
    'every_day:main loop_over_items',
    'loop_over_items:done merge',
    'loop_over_items:loop http_request',
    'http_request:main wait',
    'wait:main switch',
    'switch:case:0 bad',
    'switch:case:1 sub',
    'bad:main loop_over_items',
  ])
  const params = Object.fromEntries(workflow.nodes.map((one) => [one.id, one.params]))
  expect(params).toMatchObject({
    every_day: { schedule: { type: 'cron', expression: '0 9 * * *' } },
    loop_over_items: { batch_size: 2 },
    http_request: {
      url: 'https://api.example.com/{{ input.id }}',
      query: { q: '=input.q' },
      only_body: true,
    },
    wait: { seconds: 300 },
    switch: { cases: [{ expression: '(input.kind = "a")' }, { expression: '(input.kind = "b")' }] },
  })
  expect(report.issues.map(({ node_id, field }) => `${node_id} ${field}`)).toEqual([
    'http_request authentication',
    'bad n',
    'sub workflowId',
  ])
})

test.each([
  [{ nodes: 'x' }, 'nodes'],
  [{ nodes: [node('A', 'set')], connections: { B: { main: [to('A')] } } }, 'connections.B'],
  [{ nodes: [node('A', 'set')], connections: { A: { main: [to('Nobody')] } } }, 'connections.A'],
])('a file that is not a workflow of n8n is refused: %j', async (body, path) => {
  const response = await call(catalog.importFile, await testHost(), { query: { format: 'n8n' }, body })
  expect(response.status).toBe(422)
  expect((await response.json()).issues[0].path).toContain(path)
})

test('a workflow survives its export and import', async () => {
  const host = await testHost()
  const { id, nodes } = await created(host, drawn({ start: { type: 'trigger.manual' } }, []))
  const file = await (await call(catalog.exportFile, host, { params: { id } })).json()
  const { workflow } = await (await call(catalog.importFile, host, { body: file })).json()
  expect(workflow).toMatchObject({ name: 'Test', nodes })
  const later = await call(catalog.importFile, host, { body: { ...file, format_version: 2 } })
  expect(later.status).toBe(422)
})

test('every template becomes a workflow, which lacks at most what it says that it needs', async () => {
  const host = await testHost()
  const { templates } = await (await call(catalog.templates, host)).json()
  expect(templates.length).toBeGreaterThanOrEqual(12)
  for (const { id, needs } of templates) {
    const response = await call(catalog.instantiate, host, { params: { id }, body: {} })
    expect([id, response.status]).toEqual([id, 201])
    const { workflow, report } = await (
      await call(catalog.importFile, host, {
        body: { format: 'hearthd.workflow', format_version: 1, workflow: await response.json() },
      })
    ).json()
    expect(workflow.nodes.length).toBeGreaterThan(1)
    if (needs.length === 0) expect([id, report.issues]).toEqual([id, []])
  }
})

test('what a file says in a shape that is not known is reported, not silently replaced', () => {
  const of = (name: string, type: string, parameters: object) => ({
    name,
    type: `n8n-nodes-base.${type}`,
    parameters,
  })
  const nodes = [
    of('Old rule', 'scheduleTrigger', { rule: 'cron', triggerAtTime: '0 7 * * *' }),
    of('Old cron', 'cron', { interval: { days: 1 } }),
    of('Mail', 'emailSend', { to: 'a@example.com', subject: 'Hi', text: 'Hi' }),
    of('Fetch', 'httpRequest', {
      url: 'https://example.com',
      sendQuery: true,
      specifyQuery: 'json',
      jsonQuery: '={ "part": "id", "channel": "{{ $json.id }}" }',
      jsonHeaders: 'x',
      options: { batching: { batch: { batchSize: 1 } } },
    }),
  ]
  const { workflow, report } = importN8n({ nodes, settings: { errorWorkflow: null } })
  expect(report.issues.map(({ name, field }) => [name, field])).toEqual([
    ['Old rule', 'rule'],
    ['Old cron', 'triggerTimes'],
    ['Mail', 'toEmail'],
    ['Fetch', 'options.batching'],
    ['Fetch', 'jsonHeaders'],
  ])
  expect(workflow.nodes.at(-1)?.params).toMatchObject({ query: { part: 'id', channel: '=input.id' } })
})
