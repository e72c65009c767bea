import { createVerify, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import * as catalog from '../../handlers/workflows/catalog.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { nodeRun, ran } from './kit.ts'

const node = (name: string, type: string, parameters: object = {}, rest: object = {}) => ({
  ...{ id: name, name, type: `n8n-nodes-base.${type}`, typeVersion: 1, position: [0, 0], parameters },
  ...rest,
})

const to = (...names: string[]) => names.map((one) => ({ node: one, type: 'main', index: 0 }))

const compare = (type: string, operation: string, right: unknown, options: object = {}) => ({
  options: { caseSensitive: true, ...options },
  conditions: [{ leftValue: '={{ $json.x }}', rightValue: right, operator: { type, operation } }],
})
const older = (type: string, rest: object) => ({ [type]: [{ value1: '={{ $json.x }}', ...rest }] })

test.each([
  [compare('string', 'notEquals', 'done'), { x: 'done' }, false],
  [compare('string', 'notEquals', 'done'), {}, true],
  [compare('string', 'equals', ''), {}, true],
  [compare('string', 'equals', 'YES', { caseSensitive: false }), { x: 'yes' }, true],
  [compare('string', 'equals', 'YES'), { x: 'yes' }, false],
  [compare('string', 'notContains', 'a'), {}, true],
  [compare('string', 'notStartsWith', 'a'), { x: 'abc' }, false],
  [compare('string', 'endsWith', ''), { x: 'abc' }, true],
  [compare('string', 'empty', undefined), { x: '0' }, false],
  [compare('number', 'gt', '5'), { x: 12 }, true],
  [compare('number', 'gt', 5, { typeValidation: 'loose' }), { x: '12' }, true],
  [compare('number', 'notEmpty', undefined), { x: 0 }, true],
  [compare('boolean', 'false', undefined), {}, true],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose' }), { x: 'true' }, true],
  [compare('boolean', 'equals', 'true'), { x: true }, true],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose' }), { x: 'no' }, true],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose' }), { x: 0 }, false],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose' }), {}, false],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose', version: 2 }), { x: 'True' }, true],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose', version: 2 }), { x: 'False' }, false],
  [compare('boolean', 'true', undefined, { typeValidation: 'loose', version: 2 }), { x: {} }, true],
  [compare('boolean', 'false', undefined, { typeValidation: 'loose', version: 2 }), { x: null }, true],
  [compare('boolean', 'equals', true, { typeValidation: 'loose', version: 2 }), { x: 'true' }, true],
  [compare('boolean', 'equals', false, { typeValidation: 'loose' }), {}, false],
  [compare('number', 'equals', '={{ $json.y }}'), {}, true],
  [compare('number', 'notEquals', '={{ $json.y }}'), { x: 1 }, true],
  [older('string', { value2: '={{ $json.y }}' }), {}, true],
  [compare('array', 'contains', 'a'), { x: ['ab'] }, false],
  [compare('array', 'contains', 'ab'), { x: ['ab'] }, true],
  [compare('array', 'lengthGt', 1), { x: [1, 2] }, true],
  [compare('array', 'empty', undefined), { x: [0] }, false],
  [compare('object', 'notEmpty', undefined), { x: { a: null } }, true],
  [compare('object', 'exists', undefined), { x: {} }, true],
  [compare('dateTime', 'after', '2026-01-01T00:00:00+01:00'), { x: '2026-01-01T00:00:00Z' }, true],
  [older('number', { operation: 'larger' }), { x: 3 }, true],
  [older('number', { value2: 5 }), {}, true],
  [older('string', { value2: 'a', operation: 'notEqual' }), {}, true],
  [older('string', { operation: 'isEmpty' }), { x: 0 }, false],
  [older('string', { operation: 'isEmpty' }), { x: [] }, true],
  [older('string', { operation: 'isNotEmpty' }), { x: false }, true],
  [older('boolean', { value1: '={{ $json.x === "a" && $json.y === "b" }}' }), { x: 'a' }, true],
])('the condition %j of n8n is decided for %j', async (conditions, input, expected) => {
  const { workflow } = importN8n({
    nodes: [node('Start', 'manualTrigger'), node('If', 'if', { conditions })],
    connections: { Start: { main: [to('If')] } },
  })
  const done = await ran(await testHost(), workflow, { input })
  expect(done.node_runs.at(-1)?.output_name).toBe(String(expected))
})

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
          '// const old = $now;\nfound = [];\nfor (item of $items("Edit Fields")) found.push(item.json.total);\nreturn [{ json: { text: "big " + $input.first().json.total, from: $("When clicking").item.json.price, found } }]',
      }),
      node('No Operation', 'noOp'),
      node('Print', 'printer', { text: '={{ $json.text }}' }),
      node('Sticky Note', 'stickyNote', { content: '## Orders\n{{ not an expression }}' }),
    ],
    connections: {
      'When clicking': { main: [to('Edit Fields')] },
      'Edit Fields': { main: [to('If')] },
      If: { main: [to('Code'), to('No Operation')] },
      Code: { main: [to('Print')] },
    },
    settings: { timezone: 'Europe/Berlin' },
  }
  const response = await call(catalog.importFile, host, { query: { format: 'n8n' }, body: file })
  const { workflow, report } = await response.json()
  expect(report).toEqual({
    nodes: 7,
    placeholders: [
      {
        ...{ node_id: 'print', name: 'Print', type: 'n8n-nodes-base.printer' },
        reason:
          'There is no node like it; an execution that reaches it fails. Replace, remove or disable it before you activate the workflow',
      },
    ],
    issues: [],
    credentials: [],
  })
  expect(workflow.settings.timezone).toBe('Europe/Berlin')
  const pin_data = { print: { sent: true } }
  const done = await ran(host, { ...workflow, pin_data }, { input: { price: 4 }, use_pin_data: true })
  expect(done).toMatchObject({ status: 'succeeded', output: { sent: true } })
  expect((await nodeRun(host, done, 4)).output).toEqual([{ text: 'big 8', from: 4, found: [8] }])
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
      node('Count', 'set', { values: { string: [{ name: 'n', value: '={{ $json.list.length }}' }] } }),
      node('Sub', 'executeWorkflow', { workflowId: '12' }),
    ],
    connections: {
      'Every day': { main: [to('Loop Over Items')] },
      'Loop Over Items': { main: [to('Merge'), to('HTTP Request')] },
      'HTTP Request': { main: [to('Wait')] },
      Wait: { main: [to('Switch')] },
      Switch: { main: [to('Count'), to('Sub')] },
      Count: { main: [to('Loop Over Items')] },
    },
  })
  expect(workflow.edges.map(({ source, source_output, target }) => `${source}:${source_output} ${target}`)).toEqual([
    'every_day:main loop_over_items',
    'loop_over_items:done merge',
    'loop_over_items:loop http_request',
    'http_request:main wait',
    'wait:main switch',
    'switch:case:0 count',
    'switch:case:1 sub',
    'count:main loop_over_items',
  ])
  const params = Object.fromEntries(workflow.nodes.map((one) => [one.id, one.params]))
  expect(params).toMatchObject({
    every_day: { schedule: { type: 'cron', expression: '0 9 * * *' } },
    loop_over_items: { batch_size: 2 },
    http_request: {
      url: '=js:https://api.example.com/{{ $json.id }}',
      query: { q: '=js:{{ $json.q }}' },
      only_body: true,
    },
    wait: { seconds: 300 },
    switch: {
      cases: [{ expression: expect.stringContaining('"a"') }, { expression: expect.stringContaining('"b"') }],
    },
    count: { values: { n: '=js:{{ $json.list.length }}' } },
  })
  expect(report.issues.map(({ node_id, field }) => `${node_id} ${field}`)).toEqual([
    'http_request authentication',
    'sub workflow_id',
  ])
})

test.each([
  [{ nodes: 'x' }, 'nodes'],
  [{ nodes: [] }, 'nodes'],
])('a file that is not a workflow of n8n is refused: %j', async (body, path) => {
  const response = await call(catalog.importFile, await testHost(), { query: { format: 'n8n' }, body })
  expect(response.status).toBe(422)
  expect((await response.json()).issues[0].path).toContain(path)
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
      options: { timeout: 5_000 },
    }),
  ]
  const { workflow, report } = importN8n({ nodes, settings: { errorWorkflow: null } })
  expect(report.issues.map(({ name, field }) => [name, field])).toEqual([
    ['Old rule', 'rule'],
    ['Old cron', 'triggerTimes'],
    ['Mail', 'toEmail'],
    ['Fetch', 'options.timeout'],
  ])
  expect(workflow.nodes.at(-1)?.params).toMatchObject({
    query: expect.stringContaining('$parseJson($join('),
    headers: expect.stringContaining('$parseJson('),
  })
})

test('a node whose parameters are of another shape becomes a placeholder', () => {
  const { workflow, report } = importN8n({
    nodes: [
      node('A', 'set', { values: { string: 5 } }),
      node('B', 'if', { conditions: { conditions: [null] } }),
      node('C', 'httpRequest', { options: null, queryParameters: { parameters: 'x' } }),
      node('D', 'scheduleTrigger', { rule: { interval: [null] } }),
    ],
  })
  expect(workflow.nodes.map(({ type, disabled }) => `${type} ${disabled}`)).toEqual(
    Array.from({ length: 4 }, () => 'placeholder false'),
  )
  expect(report.placeholders[0]?.reason).toMatch('Its parameters are of an unknown shape')
})

test('connections of nodes that are not in the file are left out and reported', () => {
  const { workflow, report } = importN8n({
    nodes: [node('A', 'noOp'), node('B', 'noOp')],
    connections: {
      A: { main: [[...to('B'), ...to('Nobody')]] },
      B: { main: [to('A')] },
      'an-id': { main: [to('A')] },
    },
    settings: { timezone: 'Nowhere' },
  })
  expect(workflow.edges).toMatchObject([{ source: 'a', target: 'b' }])
  expect(report.issues.map(({ name, message }) => `${name} ${message}`)).toEqual([
    'A leads to a node that does not exist and was left out: Nobody',
    'an-id begin at a node that does not exist and were left out',
    'B leads back to A, which only a loop node can do, and was left out',
    ' is not a time zone',
  ])
})

test.each([
  ["={{ $('Loop').item.json.n }}", [{ n: '1' }, { n: '2' }]],
  ["={{ $('Rows').item.json.n }}", [{ n: '1' }, { n: '2' }]],
  ["={{ $('Rows').first().json.n }}", [{ n: '1' }, { n: '1' }]],
  ["={{ $('Rows').last().json.n }}", [{ n: '2' }, { n: '2' }]],
])('in a loop, %s is %j', async (value, expected) => {
  const fields = { assignments: { assignments: [{ name: 'n', value, type: 'string' }] } }
  const { workflow } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Rows', 'code', { jsCode: 'return [{ json: { n: 1 } }, { json: { n: 2 } }]' }),
      node('Loop', 'splitInBatches', {}, { typeVersion: 3 }),
      node('Use', 'set', fields, { typeVersion: 3.4 }),
      node('Again', 'code', { jsCode: 'return $input.all()' }),
    ],
    connections: {
      Start: { main: [to('Rows')] },
      Rows: { main: [to('Loop')] },
      Loop: { main: [[], to('Use')] },
      Use: { main: [to('Again')] },
      Again: { main: [to('Loop')] },
    },
  })
  expect((await ran(await testHost(), workflow)).output).toEqual(expected)
})

test('nodes with one name get one of their own each, as when n8n imports them', () => {
  const { workflow, report } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Note', 'stickyNote', { content: 'a' }),
      node('Note', 'stickyNote', { content: 'b' }),
      node('Note1', 'noOp'),
      node('Note', 'noOp'),
    ],
    connections: { Start: { main: [to('Note1')] } },
  })
  expect(workflow.nodes.map(({ name }) => name)).toEqual(['Start', 'Note', 'Note2', 'Note1', 'Note3'])
  expect(report.nodes).toBe(5)
  expect(report.issues).toMatchObject([{ field: 'nodes', message: expect.stringContaining('Note2, Note3') }])
})

test('where a sub-workflow is, and what follows one that nothing waits for, is in the report', () => {
  const held = JSON.stringify({ nodes: [node('Inner', 'noOp')] })
  const { report } = importN8n({
    nodes: [
      node('Inside', 'executeWorkflow', { source: 'parameter', workflowJson: held }),
      node('File', 'executeWorkflow', { source: 'localFile', workflowPath: '/data/x.json' }),
      node('Saved', 'executeWorkflow', {
        workflowId: { __rl: true, value: 'abc' },
        options: { waitForSubWorkflow: false },
      }),
    ],
    connections: {},
  })
  expect(report.issues).toMatchObject([
    { name: 'Inside', message: expect.stringContaining('holds the workflow itself'), original: held },
    { name: 'File', message: expect.stringContaining('names a file'), original: '/data/x.json' },
    { name: 'Saved', message: expect.stringContaining('names a workflow'), original: 'abc' },
    { name: 'Saved', field: 'wait', message: expect.stringContaining('the id of the execution') },
  ])
})

test('code reads the items that belong together, and finds out which nodes have not run', async () => {
  const main = (node: string) => [{ node, type: 'main', index: 0 }]
  const file = {
    nodes: [
      { name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
      {
        ...{ name: 'Rows', type: 'n8n-nodes-base.code', typeVersion: 2 },
        parameters: { jsCode: 'return [{ json: { n: 1 } }, { json: { n: 2 } }]' },
      },
      {
        ...{ name: 'Doubled', type: 'n8n-nodes-base.code', typeVersion: 2 },
        parameters: {
          mode: 'runOnceForEachItem',
          jsCode: `let ran = true
try { $('Never').first() } catch { ran = false }
return { json: { own: $json.n * 2, paired: $('Rows').item.json.n, ran } }`,
        },
      },
      { name: 'Never', type: 'n8n-nodes-base.noOp' },
    ],
    connections: { Start: { main: [main('Rows')] }, Rows: { main: [main('Doubled')] } },
  }
  const { workflow } = importN8n(file)
  expect((await ran(await testHost(), workflow)).output).toEqual([
    { own: 2, paired: 1, ran: false },
    { own: 4, paired: 2, ran: false },
  ])
})

test.each([
  [false, []],
  [true, [{ items: 1 }]],
])('what follows code without items runs only with alwaysOutputData: %s', async (alwaysOutputData, output) => {
  const code = (jsCode: string) => ({ type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } })
  const { workflow } = importN8n({
    nodes: [
      { name: 'None', ...code('return []'), alwaysOutputData },
      { name: 'Next', ...code('const items = $input.all(); return [{ json: { items: items.length } }]') },
    ],
    connections: { None: { main: [[{ node: 'Next' }]] } },
  })
  expect((await ran(await testHost(), workflow)).output).toEqual(output)
})

test('a node that n8n runs for each item runs for each, and not at all without items', async () => {
  const parameters = { assignments: { assignments: [{ name: 'n', value: '={{ $json.n }}' }] } }
  const { workflow } = importN8n({
    nodes: [
      { name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
      { name: 'Fields', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters },
    ],
    connections: { Start: { main: [[{ node: 'Fields' }]] } },
  })
  const host = await testHost()
  expect((await ran(host, workflow, { input: [{ n: 1 }, { n: 2 }] })).output).toEqual([{ n: 1 }, { n: 2 }])
  expect((await ran(host, workflow, { input: { n: 1 } })).output).toEqual({ n: 1 })
  expect((await ran(host, workflow, { input: [] })).output).toEqual([])
})

test.each([
  ['=0 9 * * 1', '0 9 * * 1', 0],
  ['=0 {{ $vars.hour }} * * *', '0 0 * * *', 1],
])('the schedule %s is %s', (given, expression, reported) => {
  const parameters = { rule: { interval: [{ field: 'cronExpression', expression: given }] } }
  const { workflow, report } = importN8n({
    nodes: [{ name: 'At', type: 'n8n-nodes-base.scheduleTrigger', parameters }],
  })
  expect(workflow.nodes[0]?.params).toEqual({ schedule: { type: 'cron', expression } })
  expect(report.issues).toHaveLength(reported)
})

test('Stop and Error fails with its message', async () => {
  const { workflow } = importN8n({
    nodes: [
      { name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
      {
        name: 'Stop',
        type: 'n8n-nodes-base.stopAndError',
        parameters: { errorMessage: '=No {{ $json.name }}' },
      },
    ],
    connections: { Start: { main: [[{ node: 'Stop' }]] } },
  })
  expect(await ran(await testHost(), workflow, { input: { name: 'tea' } })).toMatchObject({
    status: 'failed',
    error: { node_id: 'stop', message: expect.stringContaining('No tea') },
  })
})

test('what n8n does with an error and one item is kept, and a body of a GET request is reported', () => {
  const parameters = { url: 'http://localhost/', sendBody: true, bodyParameters: { parameters: [] } }
  const { workflow, report } = importN8n({
    nodes: [
      {
        ...{ name: 'Call', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters },
        ...{ executeOnce: true, onError: 'continueRegularOutput' },
      },
    ],
  })
  expect(report.issues.map(({ field }) => field)).toEqual(['body'])
  expect(workflow.nodes).toMatchObject([{ first_item: true, on_error: 'error_item' }])
})

test('connections may name nodes by their ids, beside others that name them', async () => {
  const set = (name: string) => node(name, 'set', { values: { string: [{ name, value: 'x' }] } })
  const { workflow, report } = importN8n({
    nodes: [
      { ...node('Start', 'manualTrigger'), id: 'a1' },
      { ...set('one'), id: 'b2' },
      { ...set('two'), id: 'c3' },
    ],
    connections: { a1: { main: [to('b2')] }, Start: { main: [null, to('c3')] }, one: { main: [to('c3')] } },
  })
  expect(workflow.edges).toMatchObject([
    { source: 'start', target: 'one' },
    { source: 'one', target: 'two' },
  ])
  expect(report.issues).toMatchObject([{ field: 'connections.1' }])
})

test.each([
  ["return [{ json: 'text' }]", "A 'json' property isn't an object [item 0]"],
  ['return 5', "Code doesn't return items properly"],
  ["const a = 1\nthrow new TypeError('gone')", 'gone [line 2]'],
  ['return $("Other").all()', "Referenced node doesn't exist: Other [line 1]"],
])('the code %j leads to the output for errors with the item and the message of n8n', async (jsCode, error) => {
  const { workflow } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Code', 'code', { jsCode }, { onError: 'continueErrorOutput' }),
      node('Next', 'noOp'),
    ],
    connections: { Start: { main: [to('Code')] }, Code: { main: [[], to('Next')] } },
  })
  const done = await ran(await testHost(), workflow, { input: { n: 1 } })
  expect(done.output).toEqual({ n: 1, error })
})

test('the error of a request is an object with its message and status', async () => {
  const { workflow } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Call', 'httpRequest', { url: 'http://localhost/' }, { typeVersion: 4.2, onError: 'continueErrorOutput' }),
      node('Next', 'noOp'),
    ],
    connections: { Start: { main: [to('Call')] }, Call: { main: [[], to('Next')] } },
  })
  const outbound = { ...noOutbound, fetch: async () => new Response('gone', { status: 410 }) }
  expect((await ran(await testHost({ outbound }), workflow, { input: { n: 1 } })).output).toEqual({
    n: 1,
    error: { message: 'localhost answered 410: gone', code: 'http_410', status: 410 },
  })
})

test.each([
  ['{ "q": 1, }', undefined, 'JSON parameter needs to be valid JSON'],
  ['{ "q": 1 }', 'json', 'Response body is not valid JSON. Change "Response Format" to "Text"'],
])('a request with the body %j is refused where n8n refuses it', async (jsonBody, responseFormat, error) => {
  const parameters = { method: 'POST', url: 'http://localhost/', sendBody: true, specifyBody: 'json', jsonBody }
  const options = { response: { response: { responseFormat } } }
  const { workflow } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Call', 'httpRequest', { ...parameters, options }, { typeVersion: 4.2, onError: 'continueRegularOutput' }),
    ],
    connections: { Start: { main: [to('Call')] } },
  })
  const outbound = { ...noOutbound, fetch: async () => new Response('<p>Hello</p>') }
  expect((await ran(await testHost({ outbound }), workflow)).output).toEqual({ error })
})

test.each([
  ['{ "id": 5 }', { id: 5 }],
  [
    '={{ { id: $json.id } }}',
    '=js:{{ $parseJson(() => ({ id: $json.id }), "JSON parameter needs to be valid JSON") }}',
  ],
])('the body %s is an object', (jsonBody, body) => {
  const parameters = {
    method: 'POST',
    url: 'http://localhost/',
    sendBody: true,
    specifyBody: 'json',
    jsonBody,
  }
  const { workflow } = importN8n({
    nodes: [
      { name: 'Call', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, parameters },
      { name: 'Set', type: 'n8n-nodes-base.noOp' },
    ],
  })
  expect(workflow.nodes[0]?.params.body).toEqual(body)
})

test('nested loops return the joined items, and code for each item gets one at a time', async () => {
  const host = await testHost()
  const file = {
    nodes: [
      node('Start', 'manualTrigger'),
      node('Parents', 'code', { jsCode: "return [{ json: { parent: 'P1' } }, { json: { parent: 'P2' } }];" }),
      node('Outer', 'splitInBatches', {}, { typeVersion: 3 }),
      node('Children', 'code', {
        jsCode: 'const { parent } = $json; return [1, 2].map((child) => ({ json: { parent, child } }));',
      }),
      node('Inner', 'splitInBatches', { batchSize: 1 }, { typeVersion: 3 }),
      node(
        'Mark',
        'set',
        {
          assignments: { assignments: [{ name: 'ok', value: 'true', type: 'boolean' }] },
          includeOtherFields: true,
        },
        { typeVersion: 3.4 },
      ),
      node('Done', 'noOp'),
      node('Name', 'functionItem', { functionCode: 'item.name = item.parent + item.child;\nreturn item;' }),
    ],
    connections: {
      Start: { main: [to('Parents')] },
      Parents: { main: [to('Outer')] },
      Outer: { main: [to('Done'), to('Children')] },
      Done: { main: [to('Name')] },
      Children: { main: [to('Inner')] },
      Inner: { main: [to('Outer'), to('Mark')] },
      Mark: { main: [to('Inner')] },
    },
  }
  const { workflow, report } = importN8n(file)
  expect(report).toMatchObject({ placeholders: [], issues: [] })
  const done = await ran(host, workflow)
  expect(done.output).toEqual(
    ['P1', 'P2'].flatMap((parent) => [1, 2].map((child) => ({ parent, child, ok: true, name: `${parent}${child}` }))),
  )
})

test.each([
  [4, 'case:1'],
  [8, 'case:0'],
  [2, 'main'],
])('of the rules of an older switch the first that is true decides: %d', async (n, expected) => {
  const host = await testHost()
  const rules = [
    { operation: 'equal', value2: 4, output: 1 },
    { operation: 'larger', value2: 3, output: 0 },
  ]
  const { workflow } = importN8n({
    nodes: [node('Start', 'manualTrigger'), node('Route', 'switch', { value1: '={{ $json.n }}', rules: { rules } })],
    connections: { Start: { main: [to('Route')] } },
  })
  const done = await ran(host, workflow, { input: { n } })
  expect(await nodeRun(host, done, 2)).toMatchObject({ node_id: 'route', output_name: expected })
})

test('a field has the type that its node gives it, also if its value is an expression', async () => {
  const host = await testHost()
  const fields = [
    ['text', 'string', '={{ $json.n }}'],
    ['json', 'string', '={{ $json.list }}'],
    ['number', 'number', '={{ $json.text }}'],
    ['yes', 'boolean', '={{ $json.flag }}'],
    ['missing', 'string', '={{ $json.nothing }}'],
    ['joined', 'number', '={{ $json.n }}5'],
    ['after', 'number', '=7'],
    ['both', 'boolean', '={{ $json.no }}e'],
    ['list', 'array', '={{ $json.list }}'],
  ].map(([name, type, value]) => ({ name, type, value }))
  const { workflow, report } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Set', 'set', { assignments: { assignments: fields } }, { typeVersion: 3.4 }),
    ],
    connections: { Start: { main: [to('Set')] } },
  })
  expect(report.issues).toEqual([])
  const input = { n: 5, list: [1, 2], text: '12', flag: 'True', no: 'fals' }
  expect(await ran(host, workflow, { input })).toMatchObject({
    output: {
      text: '5',
      json: '[1,2]',
      number: 12,
      yes: true,
      missing: null,
      list: [1, 2],
      joined: 55,
      after: 7,
      both: false,
    },
  })
  const failed = await ran(host, workflow, { input: { ...input, flag: 'perhaps' } })
  expect(failed).toMatchObject({ status: 'failed', error: { node_id: 'set' } })
})

test('older nodes keep their fields, their defaults and the values that a file leaves out', () => {
  const { workflow, report } = importN8n({
    nodes: [
      node('Cron', 'cron', { triggerTimes: { item: [{ mode: 'everyDay' }] } }),
      node('Every hour', 'scheduleTrigger', {
        rule: { interval: [{ field: 'hours', triggerAtMinute: 15 }] },
      }),
      node('Set', 'set', {
        values: { number: [{ name: 'page' }, { name: 'size', value: 15 }], string: [{ name: 'note' }] },
        keepOnlySet: true,
      }),
      node('Get', 'httpRequest', {
        url: '{{ $env.BASE_URL }}',
        queryParametersUi: { parameter: [{ name: 'limit', value: '={{$json["size"]}}' }] },
      }),
      node('Post', 'httpRequest', {
        url: 'https://example.com',
        requestMethod: 'POST',
        responseFormat: 'string',
        bodyParametersUi: { parameter: [{ name: 'id', value: '={{$json["id"]}}' }] },
      }),
      node(
        'Json',
        'httpRequest',
        {
          method: 'POST',
          url: 'https://example.com',
          sendBody: true,
          sendQuery: false,
          queryParameters: { parameters: [{ name: 'hidden', value: '1' }] },
          jsonBody:
            '={ "name": "{{ $json.name }}", "text": {{ JSON.stringify($json.text) }}, "n": {{ $json.a * 2 }}, "x": {{ $json.x }} }',
        },
        { typeVersion: 4.2 },
      ),
      node('Wait', 'wait', {}, { typeVersion: 1.1 }),
      node('Raw', 'set', { mode: 'raw', jsonOutput: '={ "a": "{{ $json.a }}!" }' }, { typeVersion: 3.4 }),
      node('Route', 'switch', {
        value1: '={{ $json.n }}',
        rules: { rules: [{ value2: 5 }, { operation: 'equal', value2: 7, output: 1 }] },
      }),
    ],
  })
  const params = Object.fromEntries(workflow.nodes.map((one) => [one.id, one.params]))
  expect(params).toMatchObject({
    cron: { schedule: { expression: '0 14 * * *' } },
    every_hour: { schedule: { type: 'cron', expression: '15 * * * *' } },
    set: { values: { page: 0, size: 15, note: '' }, keep_input: false },
    get: { url: '{{ "{{" }} $env.BASE_URL }}', query: { limit: '=js:{{$json["size"]}}' } },
    post: { method: 'POST', response: 'text', body: { id: '=js:{{$json["id"]}}' } },
    json: { query: {}, body: expect.stringContaining('$parseJson($join(') },
    wait: { seconds: 5 },
    raw: { values: expect.stringContaining('$joinJson('), keep_input: false },
    route: {
      cases: [{ expression: expect.stringContaining('smaller') }, { expression: expect.stringContaining('equal') }],
    },
  })
  expect(report.issues).toEqual([])
})

test.each([
  ['RSA-MD5', 'base64'],
  ['RSA-SHA3-256', 'hex'],
  ['sha512WithRSAEncryption', 'hex'],
] as const)('a text is signed by %s', async (algorithm, encoding) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  const signed = (own: object) => {
    const parameters = { action: 'sign', value: '={{ $json.text }}', algorithm, encoding, privateKey: key, ...own }
    const nodes = [node('Start', 'manualTrigger'), node('Sign', 'crypto', parameters)]
    return importN8n({ nodes, connections: { Start: { main: [to('Sign')] } } }).workflow
  }
  const host = await testHost()
  const { output } = await ran(host, signed({}), { input: { text: 'Hello' } })
  const { data } = output as { data: string }
  expect(createVerify(algorithm).update('Hello').verify(publicKey, data, encoding)).toBe(true)
  for (const own of [{ algorithm: 'RSA-NONE' }, { privateKey: 'no key' }])
    expect(await ran(host, signed(own), { input: { text: 'Hello' } })).toMatchObject({
      error: { code: 'expression', message: expect.stringContaining('It cannot be signed') },
    })
})
