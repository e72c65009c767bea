import { describe, expect, test } from 'vitest'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import vendors from '../../runtime/workflows/n8n/vendors.json' with { type: 'json' }
import { vendorNodes } from '../../runtime/workflows/n8n/vendors.ts'
import { findNodeType } from '../../runtime/workflows/nodes/index.ts'
import { testHost } from '../support/host.ts'
import { ran } from './kit.ts'

const node = (name: string, type: string, parameters: object = {}) => ({
  ...{ name, type: `n8n-nodes-base.${type}`, typeVersion: 2, position: [0, 0], parameters },
})
const to = (...names: string[]) => names.map((one) => ({ node: one, type: 'main', index: 0 }))

const imported = (type: string, parameters: object) => importN8n({ nodes: [node('A', type, parameters)] })

describe('a node of a service', () => {
  const operations = Object.entries(vendors).flatMap(([name, { base, operations: own }]) =>
    Object.entries(own).flatMap(([operation, requests]) =>
      [requests].flat().map((request) => [name, operation, base, request] as const),
    ),
  )

  /** A value for every parameter that the request names. */
  function parametersOf(base: string, request: object): Record<string, unknown> {
    const parameters: Record<string, unknown> = {}
    const text = JSON.stringify([base, request])
    for (const [, inAddress, inValue] of text.matchAll(/\{([\w.]+)(?:[^{}"]|\{[^{}]*\})*\}|"\$([\w.]+)[^"]*"/g)) {
      const names = (inAddress ?? inValue ?? '').split('.')
      const last = names.pop() ?? ''
      let at = parameters
      for (const name of names) {
        at[name] ??= {}
        at = at[name] as Record<string, unknown>
      }
      at[last] ??= last === 'value' && names.includes('columns') ? { id: 'rec1' } : 'x'
    }
    return parameters
  }

  test.each(operations)('%s %s is a request', (name, key, base, request) => {
    const [operation, resource] = key.split('.').toReversed()
    const when = 'when' in request ? request.when : {}
    const parameters = { ...parametersOf(base, request), ...when, operation, ...(resource ? { resource } : {}) }
    const translated = vendorNodes[name]?.({
      ...{ name, version: 2, parameters, has_credential: false, parts: [], report: () => undefined },
    })
    const params = translated?.params as { url: string; query: unknown }
    expect(translated?.type).toBe('http')
    // The whole of it may be an expression.
    const fixed = typeof params.query === 'string' ? { ...params, query: {} } : params
    expect(URL.canParse(params.url)).toBe(true)
    expect(params.url).not.toMatch(/[{}$]/)
    expect(findNodeType('http')?.params.safeParse(fixed).success).toBe(true)
  })

  test('reads its answer, with the parameters in the address and the body', async () => {
    const requests: { url: string; method: string; body: unknown }[] = []
    const outbound = {
      async fetch(url: URL, init: RequestInit) {
        requests.push({
          url: url.href,
          method: init.method ?? '',
          body: JSON.parse(String(init.body ?? 'null')),
        })
        const [name, rest] = url.searchParams.has('offset') ? ['Bob', {}] : ['Ada', { offset: 'more' }]
        return Response.json({ records: [{ id: name, createdTime: 'now', fields: { Name: name } }], ...rest })
      },
    }
    const base = { mode: 'list', value: 'app1', __rl: true }
    const table = { mode: 'list', value: '=t {{ $json.n }}', __rl: true }
    const { workflow, report } = importN8n({
      nodes: [
        node('Start', 'manualTrigger'),
        node('Find', 'airtable', { operation: 'search', base, table, filterByFormula: '=n = {{ $json.n }}' }),
      ],
      connections: { Start: { main: [to('Find')] } },
    })
    expect(report.issues.map(({ field }) => field)).toEqual(['credential'])
    const host = await testHost({ outbound: outbound as never })
    // All pages, as in n8n.
    expect((await ran(host, workflow, { input: { n: 5 } })).output).toEqual([
      { id: 'Ada', createdTime: 'now', Name: 'Ada' },
      { id: 'Bob', createdTime: 'now', Name: 'Bob' },
    ])
    const url = 'https://api.airtable.com/v0/app1/t%205?filterByFormula=n+%3D+5'
    expect(requests).toEqual(['', '&offset=more'].map((rest) => ({ url: url + rest, method: 'GET', body: null })))
  })

  test.each([
    [
      'notion',
      { resource: 'databasePage', operation: 'getAll', databaseId: 'd1' },
      { results: [1], has_more: true, next_cursor: 'c' },
      { results: [2], has_more: false, next_cursor: null },
      ['{"page_size":100}', '{"page_size":100,"start_cursor":"c"}'],
    ],
    [
      'googleDrive',
      { resource: 'fileFolder', operation: 'search' },
      { files: [1], nextPageToken: 'c' },
      { files: [2] },
      ['', 'pageToken=c'],
    ],
    [
      'github',
      { resource: 'release', operation: 'getAll', owner: 'a', repository: 'b' },
      [1],
      [2],
      ['page=1', 'page=2'],
    ],
  ])('all results of %s are asked for, page after page', async (name, parameters, first, last, sent) => {
    const requests: string[] = []
    const outbound = {
      async fetch(url: URL, { body }: RequestInit) {
        requests.push(body ? String(body) : (/(page|pageToken)=[^&]*$/.exec(url.search)?.[0] ?? ''))
        const link = requests.length === 1 ? { link: '<https://example.com>; rel="next"' } : { link: 'rel="prev"' }
        return Response.json(requests.length === 1 ? first : last, { headers: link })
      },
    }
    const imported = (returnAll: unknown) =>
      importN8n({
        nodes: [node('Start', 'manualTrigger'), node('All', name, { ...parameters, returnAll })],
        connections: { Start: { main: [to('All')] } },
      }).workflow
    const host = await testHost({ outbound: outbound as never })
    expect((await ran(host, imported(true), { input: {} })).output).toEqual([1, 2])
    expect(requests).toEqual(sent)
    requests.length = 0
    expect((await ran(host, imported('={{ false }}'), { input: {} })).output).toEqual([1])
    expect(imported(false).nodes[1]?.params.pages).toBeUndefined()
  })

  const page = 'https://www.notion.so/Tea-175931b1f5b880478620f0e7ccde8407'
  const item = { name: "O'Hara", id: 'a/b' }

  test.each<[string, object, object]>([
    [
      'googleDrive',
      {
        resource: 'fileFolder',
        queryString: '={{ $json.name }}',
        filter: { folderId: { __rl: true, value: 'root' }, whatToSearch: 'files' },
      },
      {
        method: 'GET',
        url: 'https://www.googleapis.com/drive/v3/files',
        query: {
          ...{ pageSize: '50', fields: 'nextPageToken, files(id,name)' },
          q: "name contains 'O\\'Hara' and 'root' in parents and mimeType != 'application/vnd.google-apps.folder' and trashed = false",
        },
      },
    ],
    [
      'googleDrive',
      {
        operation: 'move',
        fileId: {
          __rl: true,
          mode: 'url',
          value: 'https://drive.google.com/file/d/1wvlEcbxFIENvqL-bACzlLEfy5gA6uF9J/view',
        },
        folderId: 'F',
      },
      {
        method: 'PATCH',
        url: 'https://www.googleapis.com/drive/v3/files/1wvlEcbxFIENvqL-bACzlLEfy5gA6uF9J',
        query: { addParents: 'F' },
      },
    ],
    [
      'notion',
      {
        ...{
          resource: 'databasePage',
          operation: 'create',
          databaseId: { __rl: true, value: page },
          title: '={{ $json.name }}',
        },
        propertiesUi: {
          propertyValues: [
            { key: 'Note|rich_text', textContent: '={{ $json.id }}' },
            { key: 'Tags|multi_select', multiSelectValue: ['a', 'b'] },
            { key: 'Done|checkbox', checkboxValue: true },
            { key: 'Due|date', date: '2026-02-03T10:00:00', includeTime: false },
            { key: 'UNKNOWN', statusValue: 'Open' },
          ],
        },
        blockUi: { blockValues: [{ type: 'to_do', textContent: 'Boil', checked: true }] },
      },
      {
        method: 'POST',
        url: 'https://api.notion.com/v1/pages',
        body: {
          parent: { database_id: '175931b1f5b880478620f0e7ccde8407' },
          properties: {
            title: [{ text: { content: "O'Hara" } }],
            Note: { rich_text: [{ text: { content: 'a/b' } }] },
            Tags: { multi_select: [{ name: 'a' }, { name: 'b' }] },
            Done: { checkbox: true },
            Due: { date: { start: '2026-02-03' } },
            UNKNOWN: { status: { name: 'Open' } },
          },
          children: [
            { object: 'block', type: 'to_do', to_do: { rich_text: [{ text: { content: 'Boil' } }], checked: true } },
          ],
        },
      },
    ],
    [
      'notion',
      {
        resource: 'databasePage',
        operation: 'update',
        pageId: { __rl: true, value: page },
        propertiesUi: { propertyValues: [{ key: 'N|number', numberValue: 5 }] },
      },
      {
        method: 'PATCH',
        url: 'https://api.notion.com/v1/pages/175931b1f5b880478620f0e7ccde8407',
        body: { properties: { N: { number: 5 } } },
      },
    ],
    [
      'notion',
      {
        ...{ resource: 'databasePage', operation: 'getAll', databaseId: 'db', filterType: 'manual', limit: 2 },
        filters: {
          conditions: [
            { key: 'A|b|rich_text', condition: 'equals', richTextValue: '={{ $json.id }}' },
            { key: 'D|date', condition: 'past_week' },
          ],
        },
      },
      {
        method: 'POST',
        url: 'https://api.notion.com/v1/databases/db/query',
        body: {
          page_size: 2,
          filter: {
            or: [
              { property: 'A|b', rich_text: { equals: 'a/b' } },
              { property: 'D', date: { past_week: {} } },
            ],
          },
        },
      },
    ],
    [
      'github',
      {
        resource: 'file',
        operation: 'create',
        owner: 'o',
        repository: { __rl: true, value: 'r' },
        filePath: '=x/{{ $json.id }}.md',
        fileContent: 'ä',
        commitMessage: 'm',
      },
      {
        method: 'PUT',
        url: 'https://api.github.com/repos/o/r/contents/x/a/b.md',
        body: { message: 'm', content: 'w6Q=' },
      },
    ],
    [
      'hubspot',
      {
        resource: 'contact',
        email: 'a@example.com',
        additionalFields: {
          firstName: '={{ $json.name }}',
          customPropertiesUi: { customPropertiesValues: [{ property: 'tea|string', value: 'Assam' }] },
        },
      },
      {
        method: 'POST',
        body: {
          inputs: [
            {
              idProperty: 'email',
              id: 'a@example.com',
              properties: { email: 'a@example.com', firstname: "O'Hara", tea: 'Assam' },
            },
          ],
        },
      },
    ],
    [
      'supabase',
      {
        operation: 'update',
        tableId: 'tea',
        filters: { conditions: [{ keyName: 'id', condition: 'eq', keyValue: '={{ $json.id }}' }] },
        fieldsUi: { fieldValues: [{ fieldId: 'n', fieldValue: 1 }] },
      },
      { method: 'PATCH', url: 'https://project.supabase.co/rest/v1/tea', query: { or: '(id.eq.a/b)' }, body: { n: 1 } },
    ],
    [
      'supabase',
      {
        operation: 'delete',
        tableId: 'tea',
        matchType: 'allFilters',
        filters: {
          conditions: [
            { keyName: 'n', condition: 'gt', keyValue: 1 },
            { keyName: 'n', condition: 'lt', keyValue: 5 },
          ],
        },
      },
      { method: 'DELETE', query: { and: '(n.gt.1,n.lt.5)' } },
    ],
    [
      'supabase',
      {
        operation: 'delete',
        tableId: 'tea',
        filters: { conditions: [{ keyName: 'name', condition: 'eq', keyValue: '=x,id.gt.0) "{{ $json.id }}' }] },
      },
      { method: 'DELETE', query: { or: '(name.eq."x,id.gt.0) \\"a/b")' } },
    ],
    [
      'supabase',
      { operation: 'getAll', tableId: 'tea', matchType: 'allFilters', limit: 5 },
      { method: 'GET', query: { select: '*', limit: '5' } },
    ],
    [
      'supabase',
      { tableId: 'tea', dataToSend: 'autoMapInputData', inputsToIgnore: 'id' },
      { method: 'POST', body: { name: "O'Hara" } },
    ],
    [
      'jira',
      {
        project: { __rl: true, value: '1' },
        issueType: '2',
        summary: '={{ $json.name }}',
        additionalFields: { priority: { __rl: true, value: '3' } },
      },
      {
        method: 'POST',
        url: 'https://site.atlassian.net/rest/api/2/issue',
        body: { fields: { project: { id: '1' }, issuetype: { id: '2' }, summary: "O'Hara", priority: { id: '3' } } },
      },
    ],
    [
      'spotify',
      { resource: 'playlist', id: 'spotify:playlist:5SY22gVudzaD31v5rq5jcH', trackID: 'spotify:track:x' },
      {
        method: 'POST',
        url: 'https://api.spotify.com/v1/playlists/5SY22gVudzaD31v5rq5jcH/tracks',
        body: { uris: ['spotify:track:x'] },
      },
    ],
    [
      'openWeatherMap',
      { cityName: 'Bern' },
      { method: 'GET', url: 'https://api.openweathermap.org/data/2.5/weather', query: { units: 'metric', q: 'Bern' } },
    ],
    [
      'openWeatherMap',
      { operation: '5DayForecast', locationSelection: 'coordinates', latitude: 1, longitude: '={{ 1 + 1 }}' },
      { method: 'GET', url: 'https://api.openweathermap.org/data/2.5/forecast', query: { lat: '1', lon: '2' } },
    ],
    [
      'wordpress',
      { operation: 'getAll', options: { orderBy: 'title', categories: [1, 2] } },
      { method: 'GET', query: { per_page: '10', orderby: 'title', categories: '1,2' } },
    ],
    [
      'googleDrive',
      { resource: 'fileFolder', queryString: "it's", options: { fields: ['id', 'size'] } },
      {
        method: 'GET',
        query: { fields: 'nextPageToken, files(id,size)', q: "name contains 'it\\'s' and trashed = false" },
      },
    ],
    [
      'zendesk',
      { operation: 'getAll', options: { status: 'open' } },
      { method: 'GET', query: { query: 'type:ticket status:open' } },
    ],
    [
      'graphql',
      { endpoint: 'https://x.example.com/graphql', query: 'query { a }', variables: '={"id": "{{ $json.id }}"}' },
      { method: 'POST', body: { query: 'query { a }', variables: { id: 'a/b' } } },
    ],
    [
      'graphql',
      { endpoint: 'https://x.example.com/graphql', requestMethod: 'GET', query: '={ a(id: "{{ $json.id }}") }' },
      { method: 'GET', query: { query: '{ a(id: "a/b") }' } },
    ],
    [
      'facebookGraphApi',
      {
        graphApiVersion: 'v22.0',
        node: '={{ $json.id }}',
        edge: 'photos',
        options: {
          fields: { field: [{ name: 'id' }, { name: 'link' }] },
          queryParameters: { parameter: [{ name: 'limit', value: '5' }] },
        },
      },
      { method: 'GET', url: 'https://graph.facebook.com/v22.0/a/b/photos', query: { limit: '5', fields: 'id,link' } },
    ],
    [
      'zendesk',
      { operation: 'update', id: '7', updateFields: { status: 'solved', internalNote: '={{ $json.name }}' } },
      {
        method: 'PUT',
        url: 'https://site.zendesk.com/api/v2/tickets/7.json',
        body: { ticket: { status: 'solved', comment: { html_body: "O'Hara", public: false } } },
      },
    ],
  ])('%s sends %j', async (type, parameters, sent) => {
    const requests: object[] = []
    const outbound = {
      async fetch(url: URL, init: RequestInit) {
        const body = JSON.parse(String(init.body ?? 'null'))
        requests.push({
          method: init.method,
          url: decodeURIComponent(url.origin + url.pathname),
          query: Object.fromEntries(url.searchParams),
          body,
        })
        return Response.json({ results: [{}], files: [] })
      },
    }
    const { workflow, report } = importN8n({
      nodes: [node('Start', 'manualTrigger'), node('Node', type, parameters)],
      connections: { Start: { main: [to('Node')] } },
    })
    expect(report.placeholders).toEqual([])
    const host = await testHost({ outbound: outbound as never })
    expect(await ran(host, workflow, { input: item })).toMatchObject({ error: null })
    expect(requests).toMatchObject([sent])
  })

  test('a file is downloaded from Google Drive and uploaded again', async () => {
    const sent: string[] = []
    const outbound = {
      async fetch(url: URL, init: RequestInit) {
        if (init.method === 'GET')
          return new Response(new Uint8Array([1, 2, 3]), {
            headers: { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="a.png"' },
          })
        sent.push(url.href, await new Response(init.body).text())
        return Response.json({ id: 'new' })
      },
    }
    const { workflow, report } = importN8n({
      nodes: [
        node('Start', 'manualTrigger'),
        node('Get', 'googleDrive', { operation: 'download', fileId: 'f', options: { binaryPropertyName: 'picture' } }),
        node('Put', 'googleDrive', {
          inputDataFieldName: 'picture',
          name: '={{ $binary.picture.fileName }}',
          folderId: { __rl: true, value: 'F' },
        }),
      ],
      connections: { Start: { main: [to('Get')] }, Get: { main: [to('Put')] } },
    })
    expect(report.placeholders).toEqual([])
    const host = await testHost({ outbound: outbound as never })
    expect(await ran(host, workflow)).toMatchObject({ error: null, output: { id: 'new' } })
    expect(sent[0]).toBe('https://www.googleapis.com/upload/drive/v3/files?uploadType=multipart&supportsAllDrives=true')
    expect(sent[1]).toMatch(
      /name="metadata"\r\ncontent-type: application\/json\r\n\r\n\{"name":"a.png","parents":\["F"\]\}\r\n--.*\r\n.*name="file"; filename="a.png"\r\ncontent-type: image\/png\r\n\r\n.{3}\r\n/,
    )
  })

  test.each([
    ['telegram', { chatId: '7', text: '=Hi {{ $json.name }}' }, { to: '7', message: '=js:Hi {{ $json.name }}' }],
    ['slack', { channel: '#a', text: 'Hi' }, { to: '#a', message: 'Hi' }],
    ['gmail', { sendTo: 'a@example.com', subject: 'S', message: 'Hi' }, { channel: 'email', to: 'a@example.com' }],
  ])('a message of %s is sent on a channel or by mail', (type, parameters, params) => {
    const { workflow, report } = imported(type, parameters)
    expect(workflow.nodes).toMatchObject([{ type: 'notify', input_mode: 'item', params }])
    expect(report.placeholders).toEqual([])
    expect(report.issues.length).toBeGreaterThan(0)
  })

  test.each([
    ['telegram', { operation: 'sendPhoto' }],
    ['notion', { resource: 'toString', operation: 'constructor' }],
    ['airtable', { operation: 'update', base: 'b', table: 't' }],
    ['googleDrive', { operation: 'file.copy' }],
  ])('%s with %j has no equivalent', (type, parameters) => {
    expect(imported(type, parameters).workflow.nodes[0]?.type).toBe('placeholder')
  })
})

test.each([
  [
    'airtable',
    { operation: 'search', base: { value: 'a' }, table: { value: 'b' }, options: { fields: ['Name'] } },
    'options.fields',
  ],
  ['slack', { channel: '#a', text: 'Hi', otherOptions: { thread_ts: '1' } }, 'otherOptions.thread_ts'],
  ['aggregate', { aggregate: 'aggregateAllItemData', options: { includeBinaries: true } }, 'options.includeBinaries'],
  ['splitOut', { fieldToSplitOut: 'a', options: { includeBinary: true } }, 'options.includeBinary'],
  ['extractFromFile', { operation: 'pdf', options: { password: 'x' } }, 'options.password'],
  ['wait', { resume: 'webhook', responseMode: 'lastNode' }, 'responseMode'],
  [
    'formTrigger',
    { formFields: { values: [{ fieldLabel: 'A', fieldType: 'file', acceptFileTypes: '.pdf' }] } },
    'formFields.0.acceptFileTypes',
  ],
  ['noOp', { text: 'of another node' }, ''],
])('what a %s node with %j loses is reported', (type, parameters, field) => {
  const { issues, placeholders } = imported(type, parameters).report
  expect(placeholders).toEqual([])
  expect(issues.map((issue) => issue.field)).toContain(field)
})

test('the times between which events are read are kept, and a filter that cannot be is no request', () => {
  const events = imported('googleCalendar', {
    ...{ resource: 'event', operation: 'getAll', calendar: 'a' },
    options: { timeMin: '2026-01-05', timeMax: '={{ $today }}' },
  })
  expect(events.workflow.nodes[0]?.params.query).toMatchObject({ timeMin: '2026-01-05', timeMax: '=js:{{ $today }}' })
  expect(events.report.issues.map(({ field }) => field)).toEqual(['credential'])
  const filter = { singleCondition: { key: 'Email', condition: 'equals' } }
  const pages = { resource: 'databasePage', operation: 'getAll', databaseId: 'a', options: { filter } }
  expect(imported('notion', pages).report.placeholders).toHaveLength(1)
})
