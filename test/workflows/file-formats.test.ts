import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { content } from '../../handlers/files/files.ts'
import { pdf, xlsx } from '../files/documents-kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

const start = { type: 'trigger.manual' }
const url = 'https://example.com/file'

/** Downloads this file, and runs a node with it. */
async function extracting(bytes: Uint8Array, params: object = {}, name = 'file.bin') {
  const headers = {
    'content-disposition': `attachment; filename="${name}"`,
    'content-type': 'application/octet-stream',
  }
  const outbound = { ...noOutbound, fetch: async () => new Response(bytes as BodyInit, { headers }) }
  const host = await testHost({ outbound })
  const download = { type: 'http', params: { url, response: 'file' } }
  const extract = { type: 'extract_from_file', params }
  const run = await ran(host, drawn({ start, download, extract }, ['start → download', 'download → extract']))
  return { host, run }
}

const outputOf = async (...parameters: Parameters<typeof extracting>) => (await extracting(...parameters)).run.output
const errorOf = async (...parameters: Parameters<typeof extracting>) => (await extracting(...parameters)).run.error

/** What a node makes of an input. */
async function converting(input: unknown, params: object, host?: MemoryHost) {
  const own = host ?? (await testHost())
  const node = { type: 'convert_to_file', params }
  const run = await ran(own, drawn({ start, node }, ['start → node']), { input })
  return { host: own, run, file: (run.output as { file: { file_id: string; name: string } } | null)?.file }
}

async function bytesOf(host: MemoryHost, file: { file_id: string } | undefined): Promise<Uint8Array> {
  const response = await call(content, host, { params: { id: file?.file_id ?? '' } })
  return new Uint8Array(await response.arrayBuffer())
}

const textOf = async (host: MemoryHost, file: { file_id: string } | undefined) =>
  new TextDecoder().decode(await bytesOf(host, file))

test.each([
  [
    'rows.csv',
    'name;age\nAda;36\n"Bo; b";7\n',
    [
      { name: 'Ada', age: '36' },
      { name: 'Bo; b', age: '7' },
    ],
  ],
  ['data.json', '{"a": [1, 2]}', { a: [1, 2] }],
  ['note.txt', 'grüße', { text: 'grüße' }],
  ['feed.xml', '<a x="1"><b>t</b><b>u</b></a>', { a: { x: '1', b: ['t', 'u'] } }],
  ['page.html', '<html><title>Hi</title><body><p>One</p></body></html>', { title: 'Hi', text: 'One' }],
])('the format of %s is found by its name', async (name, text, output) => {
  expect(await outputOf(strToU8(text), {}, name)).toEqual(output)
})

test.each([
  ['\n', 'quotes, delimiters and ends of lines in cells'],
  ['\r\n', 'ends of lines as in Windows'],
])('a CSV of several parts is read as a whole: %j, %s', async (newline) => {
  const long = 'x'.repeat(300_000)
  const cell = (index: number) => (index === 500 ? long : `a "${index}", b${newline}c`)
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ n: String(index), text: cell(index) }))
  const lines = rows.map(({ n, text }) => `${n},"${text.replaceAll('"', '""')}"`)
  const items = await outputOf(strToU8(['n,text', ...lines, ''].join(newline)), {}, 'rows.csv')
  expect(items).toHaveLength(rows.length)
  expect(items).toEqual(rows)
})

test('XML of several megabytes is read like a short one, and the error of a broken one says where', async () => {
  const items = Array.from({ length: 40_000 }, (_, index) => `<item id="${index}"><name>n</name></item>`)
  const text = `<list>${items.join('')}</list>`
  const output = (await outputOf(strToU8(text), {}, 'list.xml')) as { list: { item: unknown[] } }
  expect(output.list.item[39_999]).toEqual({ id: '39999', name: 'n' })
  const { run } = await extracting(strToU8(`${text.slice(0, -1)}`), {}, 'list.xml')
  expect(run.error).toMatchObject({ code: 'invalid_xml', message: expect.stringMatching(/^It is not XML: /) })
})

test('a CSV without a header, of which some rows are read', async () => {
  const text = 'made by x\n1,2\n3,4\n5,6\n'
  const params = { format: 'csv', header: false, skip_rows: 1, max_rows: 2, delimiter: ',' }
  expect(await outputOf(strToU8(text), params)).toEqual([{ row: ['1', '2'] }, { row: ['3', '4'] }])
})

test('text of an older encoding', async () => {
  const params = { format: 'text', encoding: 'windows-1252' }
  expect(await outputOf(Uint8Array.of(103, 114, 252, 223, 101), params)).toEqual({ text: 'grüße' })
})

test('the rows of a workbook have numbers, truth values and dates', async () => {
  expect(await outputOf(xlsx(), {}, 'costs.xlsx')).toEqual([
    { Item: '', column_2: '', Due: '' },
    {
      Item: 'Rent & heating',
      column_2: 950.5,
      Due: '2026-01-31',
      column_4: '2026-01-31 14:30',
      column_5: 3,
      column_6: true,
    },
  ])
  expect(await outputOf(xlsx(), { sheet: 'Notes', header: false }, 'costs.xlsx')).toEqual([{ row: ['call the bank'] }])
  expect(await errorOf(xlsx(), { sheet: 'Other' }, 'costs.xlsx')).toMatchObject({
    message: expect.stringContaining('no sheet Other; its sheets are Costs, Notes'),
  })
})

test('the text of a PDF becomes a field beside the others', async () => {
  const output = await outputOf(pdf([['Hello there']]), { into: 'doc.text', keep: 'fields' }, 'a.pdf')
  expect(output).toMatchObject({ status: 200, doc: { text: expect.stringContaining('Hello there') } })
  expect(output).not.toHaveProperty('body')
})

const calendar = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1@x\r\nSUMMARY:Lunch\\, long\r\nDESCRIPTION:one\r\n  two\r\nDTSTART;TZID=Europe/Berlin:20260105T120000\r\nDTEND;TZID="Europe/Berlin":20260105T130000\r\nATTENDEE;CN="Bo; x":mailto:bo@example.com\r\nBEGIN:VALARM\r\nDESCRIPTION:alarm\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:2@x\r\nDTSTART;VALUE=DATE:20260106\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`

test('the events of a calendar', async () => {
  expect(await outputOf(strToU8(calendar), {}, 'a.ics')).toEqual([
    {
      uid: '1@x',
      title: 'Lunch, long',
      description: 'one two',
      start: '2026-01-05T12:00:00',
      end: '2026-01-05T13:00:00',
      zone: 'Europe/Berlin',
      all_day: false,
      attendees: ['bo@example.com'],
    },
    { uid: '2@x', start: '2026-01-06', all_day: true },
  ])
})

test('the files of an archive are items', async () => {
  const { host, run } = await extracting(zipSync({ 'a/b.txt': strToU8('hi'), 'c.csv': strToU8('x\n1\n') }), {}, 'a.zip')
  const items = run.output as { path: string; file: { file_id: string; name: string } }[]
  expect(items.map(({ path, file }) => [path, file.name])).toEqual([
    ['a/b.txt', 'b.txt'],
    ['c.csv', 'c.csv'],
  ])
  expect(await textOf(host, items[0]?.file)).toBe('hi')
})

const bomb = zipSync({ 'zeros.bin': new Uint8Array(110 * 1024 * 1024) })

test.each([
  ['an archive that is far larger unpacked', bomb, {}, 'a.zip', 'larger than 100 MB'],
  ['a damaged archive', strToU8('PK\u0003\u0004 nothing'), {}, 'a.zip', 'damaged'],
  ['a damaged workbook', zipSync({ 'x.txt': strToU8('x') }), {}, 'a.xlsx', 'damaged'],
  ['no JSON', strToU8('{"a": '), {}, 'a.json', 'not JSON'],
  ['no XML', strToU8('<a><b></a>'), {}, 'a.xml', 'not XML'],
  ['no gzip', strToU8('plain'), { format: 'gzip' }, 'a.gz', 'not a gzip file'],
  ['an unknown format', Uint8Array.of(0, 1, 2, 3), {}, 'a.xyz', 'choose it'],
  ['an unknown encoding', strToU8('x'), { format: 'text', encoding: 'klingon' }, 'a.txt', 'not an encoding'],
])('%s is an error of the node', async (_, bytes, params, name, message) => {
  expect(await errorOf(bytes, params, name)).toMatchObject({
    node_id: 'extract',
    message: expect.stringContaining(message),
  })
})

test('what gzip packed is unpacked', async () => {
  const packed = await converting({ text: 'x' }, { format: 'json' })
  const node = { type: 'convert_to_file', params: { format: 'gzip', name: 'x.json.gz' } }
  const back = { type: 'extract_from_file', params: { format: 'gzip' } }
  const make = { type: 'convert_to_file', params: { format: 'text', value: 'hello '.repeat(1_000) } }
  const run = await ran(packed.host, drawn({ start, make, node, back }, ['start → make', 'make → node', 'node → back']))
  const { file } = run.output as { file: { file_id: string; name: string } }
  expect([file.name, (await textOf(packed.host, file)).length]).toEqual(['x.json', 6_000])
})

const people = [
  { name: 'Ada', age: 36, tags: ['x'] },
  { name: '=1+1', vip: true },
]

test.each([
  ['csv', {}, 'name,age,tags,vip\nAda,36,"[""x""]",\n"\'=1+1",,,true'],
  ['csv', { header: false, delimiter: ';', byte_order_mark: true }, '\uFEFFAda;36;"[""x""]";\n"\'=1+1";;;true'],
  ['json', {}, JSON.stringify(people, null, 2)],
  ['text', { value: '=input[0].name' }, 'Ada'],
  ['base64', { value: 'data:text/plain;base64,aGk=' }, 'hi'],
  ['base64', { value: 'aGk=\n' }, 'hi'],
])('items as %s with %j', async (format, params, text) => {
  const { host, file } = await converting(people, { format, ...params })
  // `decode` takes the mark away.
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await bytesOf(host, file))).toBe(text)
})

test('a workbook that was written is read again', async () => {
  const { host, file } = await converting(people, { format: 'xlsx', name: 'people' })
  expect(file?.name).toBe('people.xlsx')
  const bytes = await bytesOf(host, file)
  expect(await outputOf(bytes, {}, 'people.xlsx')).toEqual([
    { name: 'Ada', age: 36, tags: '["x"]', vip: '' },
    { name: '=1+1', age: '', tags: '', vip: true },
  ])
})

test('a calendar that was written is read again', async () => {
  const event = { uid: '1', title: 'A, b; c\nd', start: '2026-01-05T12:00:00+01:00', end: '2026-01-05T12:30:00Z' }
  const { host, file } = await converting([event, { title: 'é'.repeat(80), start: '2026-01-06', all_day: true }], {
    format: 'calendar',
  })
  const text = await textOf(host, file)
  expect(text.split('\r\n').every((line) => new TextEncoder().encode(line).length <= 75)).toBe(true)
  expect(await outputOf(strToU8(text), {}, 'a.ics')).toMatchObject([
    { uid: '1', title: 'A, b; c\nd', start: '2026-01-05T11:00:00Z', end: '2026-01-05T12:30:00Z' },
    { title: 'é'.repeat(80), start: '2026-01-06', all_day: true },
  ])
})

test('a table of items runs no markup of theirs', async () => {
  const { host, file } = await converting([{ a: '<script>x</script>' }], { format: 'html' })
  expect(await textOf(host, file)).toContain('<td>&lt;script&gt;x&lt;/script&gt;</td>')
})

test('files of items become an archive, each under a name of its own', async () => {
  const host = await testHost()
  const make = {
    type: 'convert_to_file',
    input_mode: 'item',
    params: { format: 'text', value: '=input.text', name: 'a' },
  }
  const zip = { type: 'convert_to_file', params: { format: 'zip' } }
  const list = { type: 'extract_from_file', params: { file: '=input.file' } }
  const run = await ran(host, drawn({ start, make, zip, list }, ['start → make', 'make → zip', 'zip → list']), {
    input: [{ text: 'one' }, { text: 'two' }],
  })
  const items = run.output as { path: string; file: { file_id: string } }[]
  expect(items.map(({ path }) => path)).toEqual(['a.txt', 'a (2).txt'])
  expect(await textOf(host, items[1]?.file)).toBe('two')
})

test('files go to the workspace and come back', async () => {
  const host = await testHost()
  const make = { type: 'convert_to_file', params: { format: 'csv', name: 'people' } }
  const write = { type: 'file', params: { action: 'write', path: 'out/people.csv', content: '=input.file' } }
  const read = { type: 'file', params: { action: 'read_file', path: 'out/people.csv' } }
  const arrows = ['start → make', 'make → write', 'write → read']
  const run = await ran(host, drawn({ start, make, write, read }, arrows), { input: [{ a: 1 }] })
  expect(run.status).toBe('succeeded')
  const { file } = run.output as { file: { file_id: string; name: string } }
  expect([file.name, await textOf(host, file)]).toEqual(['people.csv', 'a\n1'])
  const away = { type: 'file', params: { action: 'read_file', path: '../x' } }
  expect(await ran(host, drawn({ start, away }, ['start → away']))).toMatchObject({ error: { code: 'invalid_path' } })
})
