import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { content } from '../../handlers/files/files.ts'
import * as catalog from '../../handlers/workflows/catalog.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { execution, nodeRun, started } from './kit.ts'

interface Imported {
  type: string
  typeVersion?: number
  parameters?: object
}

/** Nodes one after the other, as n8n writes them. */
const chain = (nodes: Record<string, Imported>) => {
  const names = ['Start', ...Object.keys(nodes)]
  const start: Imported = { type: 'manualTrigger' }
  return {
    name: 'Files',
    nodes: Object.entries({ Start: start, ...nodes }).map(([name, { type, typeVersion = 1, parameters = {} }]) => ({
      ...{ name, typeVersion, parameters, type: `n8n-nodes-base.${type}`, position: [0, 0] },
    })),
    connections: Object.fromEntries(
      names.slice(0, -1).map((name, index) => [name, { main: [[{ node: names[index + 1], type: 'main', index: 0 }]] }]),
    ),
    settings: { executionOrder: 'v1' },
  }
}

const page = Uint8Array.from([...new TextEncoder().encode('GIF89a'), ...Array(20).fill(1)])

/** Imports and runs the nodes; the outputs by node. */
async function outputsOf(nodes: Record<string, Imported>) {
  const sent: unknown[] = []
  const outbound = {
    ...noOutbound,
    fetch: async (_: unknown, init: RequestInit = {}) => {
      if (init.method === 'GET') return new Response(page, { headers: { 'content-type': 'image/gif' } })
      sent.push(new Uint8Array(await new Response(init.body as BodyInit).arrayBuffer()))
      return Response.json({ ok: true })
    },
  }
  const host = await testHost({ outbound: outbound as never })
  const response = await call(catalog.importFile, host, { query: { format: 'n8n' }, body: chain(nodes) })
  const { workflow } = await response.json()
  const id = await started(host, workflow.id)
  await workOff(host)
  const run = await execution(host, id)
  expect(run.error).toBeNull()
  const outputs: Record<string, unknown> = {}
  for (const { node_id, seq } of run.node_runs) outputs[node_id] ??= (await nodeRun(host, run, seq)).output
  return { host, outputs, sent }
}

const rows = {
  type: 'code',
  typeVersion: 2,
  parameters: { jsCode: 'return [{ json: { a: 1, b: "x" } }, { json: { a: 2 } }]' },
}

test.each(['csv', 'xlsx'])('rows become a file and are read again: %s', async (operation) => {
  const { outputs } = await outputsOf({
    Rows: rows,
    To: { type: 'convertToFile', typeVersion: 1.1, parameters: { operation, options: { fileName: 'out' } } },
    Name: { type: 'set', typeVersion: 3.4, parameters: { assignments: { assignments: [] }, includeOtherFields: true } },
    From: { type: 'extractFromFile', parameters: { operation, options: { enableBOM: true } } },
  })
  expect(outputs.to).toMatchObject({ $binary: { data: { name: `out.${operation}` } } })
  const numbers = operation === 'csv' ? ['1', '2'] : [1, 2]
  expect(outputs.from).toEqual([{ a: numbers[0], b: 'x' }, { a: numbers[1] }])
})

test('expressions and code find files as n8n has them, and code makes new ones', async () => {
  const { host, outputs, sent } = await outputsOf({
    Get: { type: 'httpRequest', typeVersion: 4.2, parameters: { url: 'https://example.com/p.gif', options: {} } },
    Code: {
      type: 'code',
      typeVersion: 2,
      parameters: {
        jsCode: `const [item] = $input.all()
item.binary.copy = { data: Buffer.from('hi').toString('base64'), mimeType: 'text/plain', fileName: 'hi.txt' }
return [{ json: { fields: Object.keys(item.json), type: item.binary.data.mimeType }, binary: item.binary }]`,
      },
    },
    Post: {
      type: 'httpRequest',
      typeVersion: 4.2,
      parameters: {
        method: 'POST',
        url: '=https://example.com/{{ $binary.data.fileName }}.{{ $binary.copy.fileExtension }}',
        sendBody: true,
        contentType: 'binaryData',
        inputDataFieldName: 'data',
      },
    },
  })
  expect(outputs.get).toMatchObject({ $binary: { data: { name: 'p.gif', mime_type: 'image/gif' } } })
  const [made] = outputs.code as { fields: string[]; type: string; $binary: { copy: { file_id: string } } }[]
  expect(made).toMatchObject({ fields: [], type: 'image/gif', $binary: { copy: { name: 'hi.txt', size_bytes: 2 } } })
  const response = await call(content, host, { params: { id: made?.$binary.copy.file_id ?? '' } })
  expect(await response.text()).toBe('hi')
  expect(sent).toEqual([page])
})

test('JSON and text move to files and back', async () => {
  const { outputs } = await outputsOf({
    Rows: { ...rows, parameters: { jsCode: 'return [{ json: { note: "hello", n: 1 } }]' } },
    Text: { type: 'convertToFile', parameters: { operation: 'toText', sourceProperty: 'note' } },
    Back: { type: 'extractFromFile', parameters: { operation: 'text', destinationKey: 'text' } },
    Move: { type: 'moveBinaryData', parameters: { mode: 'jsonToBinary' } },
    Json: { type: 'moveBinaryData', parameters: {} },
  })
  expect(outputs.back).toEqual([{ text: 'hello' }])
  expect(outputs.json).toEqual([{ text: 'hello' }])
})

test('values of pages and Markdown', async () => {
  const { outputs } = await outputsOf({
    Rows: {
      ...rows,
      parameters: { jsCode: 'return [{ json: { data: "<h1>Tea <a href=\\"/x\\">shop</a></h1><p>One</p>" } }]' },
    },
    Html: {
      type: 'html',
      typeVersion: 1.2,
      parameters: {
        operation: 'extractHtmlContent',
        extractionValues: {
          values: [
            { key: 'title', cssSelector: 'h1' },
            { key: 'link', cssSelector: 'a', returnValue: 'attribute', attribute: 'href' },
          ],
        },
        options: { trimValues: true },
      },
    },
    Markdown: { type: 'markdown', parameters: { html: '<b>{{ $json.title }}</b>', destinationKey: 'md', options: {} } },
    Page: {
      type: 'html',
      typeVersion: 1.2,
      parameters: { operation: 'generateHtmlTemplate', html: '<p>{{ $json.link }}</p>' },
    },
  })
  expect(outputs.html).toEqual([{ title: 'Tea shop [/x]', link: '/x' }])
  expect(outputs.page).toEqual([{ html: '<p>/x</p>' }])
})

const refused: [Imported, string][] = [
  [{ type: 'extractFromFile', parameters: { operation: 'ods' } }, 'the format ods'],
  [{ type: 'convertToFile', parameters: { operation: 'html' } }, 'the format html'],
  [{ type: 'readWriteFile', parameters: { operation: 'read', fileSelector: '/data/*.csv' } }, 'patterns of paths'],
  [{ type: 'compression', parameters: { operation: 'decompress' } }, 'n8n puts all files in one item'],
  [{ type: 'html', typeVersion: 1.2, parameters: { operation: 'convertToHtmlTable' } }, 'convertToHtmlTable'],
  [{ type: 'markdown', parameters: { mode: 'markdownToHtml', options: { emoji: true } } }, 'the option emoji'],
  [{ type: 'jwt', parameters: { claims: { expiresIn: 3600 } } }, 'claims with times'],
]

test.each(refused)('%j has no equivalent', (node, reason) => {
  const { report } = importN8n(chain({ Node: node }))
  expect(report.placeholders).toMatchObject([{ reason: expect.stringContaining(reason) }])
})

const translated: [Imported, object][] = [
  [
    { type: 'rssFeedRead', parameters: { url: 'https://example.com/rss' } },
    { type: 'feed', params: { url: 'https://example.com/rss' } },
  ],
  [
    { type: 'executeCommand', parameters: { command: 'ls' } },
    { type: 'tool', params: { tool: 'shell', input: { command: 'ls' } } },
  ],
  [
    { type: 'readBinaryFile', parameters: { filePath: '/data/in/a.csv' } },
    { type: 'file', params: { action: 'read_file', path: 'data/in/a.csv', into: '$binary.data' } },
  ],
  [
    { type: 'readWriteFile', parameters: { operation: 'write', fileName: '/out/b.bin', dataPropertyName: 'data' } },
    { type: 'file', params: { action: 'write', path: 'out/b.bin' } },
  ],
  [
    { type: 'jwt', parameters: { operation: 'verify', token: 'x', options: { algorithm: 'RS256', complete: true } } },
    { type: 'jwt', params: { action: 'verify', algorithm: 'RS256', complete: true } },
  ],
  [
    { type: 'respondToWebhook', parameters: { respondWith: 'binary' } },
    { type: 'respond', params: { respond_with: 'file' } },
  ],
  [
    { type: 'compression', parameters: { operation: 'compress', binaryPropertyName: 'a, b' } },
    { type: 'convert_to_file', params: { format: 'zip' } },
  ],
  [
    { type: 'spreadsheetFile', parameters: { operation: 'toFile', fileFormat: 'xlsx' } },
    { type: 'convert_to_file', params: { format: 'xlsx' } },
  ],
  [
    { type: 'readPDF', parameters: {} },
    { type: 'extract_from_file', params: { format: 'document' } },
  ],
]

test.each(translated)('%j has a counterpart', (node, counterpart) => {
  const { workflow } = importN8n(chain({ Node: node }))
  expect(workflow.nodes[1]).toMatchObject(counterpart)
})

test('a calendar is written and read again, and what differs from n8n is reported', async () => {
  const event = { operation: 'iCal', title: 'Tea', start: '2026-01-05T09:00:00Z', end: '2026-01-05T10:00:00Z' }
  const nodes = {
    Write: { type: 'convertToFile', typeVersion: 1.1, parameters: event },
    Read: { type: 'extractFromFile', parameters: { operation: 'fromIcs' } },
  }
  const { outputs } = await outputsOf(nodes)
  expect(outputs.read).toMatchObject({ data: { events: [{ title: 'Tea', start: '2026-01-05T09:00:00Z' }] } })
  const { issues, placeholders } = importN8n(chain(nodes)).report
  expect(placeholders).toEqual([])
  expect(issues).toMatchObject([{ node_id: 'read', message: expect.stringContaining('summary') }])
})
