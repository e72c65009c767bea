import { z } from 'zod'
import { unpack } from '../../documents/archive.ts'
import { DocumentError, documentKind, maxDocumentBytes } from '../../documents/document.ts'
import { type DocumentKind, ReaderError, type SheetChoice } from '../../ports/reader.ts'
import { toPaddedBase64 } from '../../secrets/signatures.ts'
import { once } from '../../streams.ts'
import { errorMessage } from '../../thrown.ts'
import { readable } from '../../tools/readable.ts'
import { nextTurn } from '../../turn.ts'
import { isRecord } from '../../values.ts'
import { withField, withoutField } from '../field-path.ts'
import { type FileValue, firstFile } from '../file-value.ts'
import { calendarEvents } from '../formats/calendar.ts'
import { csvRows, rowsAsItems } from '../formats/csv.ts'
import { readXml } from '../formats/xml.ts'
import { openFile, readFile, requireFileIn, storeFile } from '../item-files.ts'
import { type NodeScope, nodeType, permanentError } from '../node-type.ts'
import { maxOutput } from '../values.ts'

const formats = ['csv', 'json', 'xlsx', 'text', 'document', 'calendar', 'xml', 'html', 'zip', 'gzip', 'base64'] as const
type Format = (typeof formats)[number]

const Params = z.object({
  file: z.unknown().optional().meta({ description: 'A file, or a text. Leave blank for the first file of the input' }),
  format: z
    .enum(['auto', ...formats])
    .default('auto')
    .meta({
      labels: {
        auto: 'By name and type',
        csv: 'CSV: rows',
        json: 'JSON',
        xlsx: 'Excel (XLSX): rows',
        text: 'Text',
        document: 'Text of a PDF, Word or PowerPoint file',
        calendar: 'Calendar (iCal): events',
        xml: 'XML',
        html: 'Readable text of a web page',
        zip: 'ZIP: its files',
        gzip: 'Gzip: the file',
        base64: 'Base64',
      },
    }),
  into: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'A field for the result. Leave blank to make it the output' }),
  keep: z
    .enum(['nothing', 'fields', 'all'])
    .default('nothing')
    .meta({
      title: 'Keep of the input',
      labels: { nothing: 'Nothing', fields: 'Fields, but no files', all: 'Everything' },
    }),
  header: z.boolean().default(true).meta({ description: 'The first row names the columns' }),
  delimiter: z.string().max(5).default('').meta({ description: 'Of CSV. Leave blank to detect it' }),
  sheet: z.string().max(100).default('').meta({ description: 'Of Excel. Leave blank for the first one' }),
  skip_rows: z.int().min(0).max(1_000_000).default(0).meta({ title: 'Rows before the table' }),
  max_rows: z.int().min(1).max(1_000_000).default(1_000_000),
  byte_order_mark: z
    .enum(['drop', 'keep'])
    .default('drop')
    .meta({ description: 'Of CSV: a mark before the first name' }),
  empty_cells: z.boolean().default(true).meta({ description: 'Rows have a field for each column' }),
  encoding: z
    .string()
    .max(30)
    .default('utf-8')
    .meta({ description: 'Of text, such as utf-8, utf-16le or windows-1252' }),
})
type Params = z.output<typeof Params>

/** Characters of a document's text. */
const maxCharacters = 2_000_000

export const extractFromFile = nodeType<Params>({
  type: 'extract_from_file',
  title: 'Extract from file',
  description:
    'Reads a file: rows, events and files of an archive become items; of text and documents, the output is {text}.',
  category: 'data',
  usual_input: 'item',
  risk: 'low',
  params: Params,
  async run(params, scope) {
    const source =
      typeof params.file === 'string' && params.file !== '' ? params.file : requireFileIn(params.file, scope.input)
    const format = params.format === 'auto' ? formatOf(source) : params.format
    return reported(source, async () => {
      const result = await read(format, source, { params, scope })
      if (params.into === '') return { output: result }
      const { input } = scope
      let kept: Record<string, unknown> = params.keep !== 'nothing' && isRecord(input) ? input : {}
      if (params.keep === 'fields')
        for (const [name, value] of Object.entries(kept)) if (firstFile(value)) kept = withoutField(kept, name, false)
      const value = isRecord(result) && 'text' in result && format !== 'json' && format !== 'xml' ? result.text : result
      return { output: withField(kept, params.into, value) }
    })
  },
})

/** The text of a file of any format that can be read. */
export async function fileText(file: FileValue, scope: NodeScope): Promise<string> {
  const params = Params.parse({})
  const result = await reported(file, () => read(formatOf(file), file, { params, scope }))
  return isRecord(result) && 'text' in result
    ? String(result.text)
    : typeof result === 'string'
      ? result
      : JSON.stringify(result)
}

/** Errors of what reads a file, as those of a node. */
async function reported<Result>(source: Source, task: () => Promise<Result>): Promise<Result> {
  try {
    return await task()
  } catch (thrown) {
    const name = typeof source === 'string' ? 'The text' : source.name
    if (thrown instanceof DocumentError) throw permanentError('unreadable', `${name} cannot be read: ${thrown.message}`)
    if (thrown instanceof ReaderError) throw permanentError('unreadable', `${name}: ${thrown.message}`)
    throw thrown
  }
}

type Source = FileValue | string

const byEnding: Readonly<Record<string, Format>> = {
  ...{
    csv: 'csv',
    tsv: 'csv',
    pdf: 'document',
    json: 'json',
    xlsx: 'xlsx',
    xlsm: 'xlsx',
    ics: 'calendar',
    zip: 'zip',
    gz: 'gzip',
  },
  ...{ xml: 'xml', rss: 'xml', html: 'html', htm: 'html', txt: 'text', md: 'text', log: 'text' },
}

const byType: readonly (readonly [RegExp, Format])[] = [
  [/[/+]json$/, 'json'],
  [/csv/, 'csv'],
  [/calendar/, 'calendar'],
  [/html/, 'html'],
  [/[/+]xml$/, 'xml'],
  [/^application\/(x-)?zip/, 'zip'],
  [/gzip/, 'gzip'],
  [/^text\//, 'text'],
]

function formatOf(source: Source): Format {
  if (typeof source === 'string') {
    const start = source.trimStart()
    if (/^[[{]/.test(start)) return 'json'
    if (start.startsWith('BEGIN:VCALENDAR')) return 'calendar'
    if (/^<(!doctype html|html)\b/i.test(start)) return 'html'
    return start.startsWith('<') ? 'xml' : 'csv'
  }
  const { name, mime_type } = source
  const kind = documentKind(mime_type, name)
  if (kind) return kind === 'xlsx' ? 'xlsx' : 'document'
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const format =
    (Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined) ??
    byType.find(([type]) => type.test(mime_type))?.[1]
  if (!format) throw permanentError('unknown_format', `The format of ${name} (${mime_type}) is not known; choose it`)
  return format
}

interface Reading {
  params: Params
  scope: NodeScope
}

async function read(format: Format, source: Source, { params, scope }: Reading): Promise<unknown> {
  const text = () => textOf(source, { params, scope })
  switch (format) {
    case 'csv':
      return withoutEmpty(await csvRows(await text(), params), params)
    case 'json':
      return parsedJson(await text())
    case 'text':
      return { text: await text() }
    case 'calendar':
      return calendarEvents(await text())
    case 'xml':
      return readXml(scope.context, await text())
    case 'html':
      return readable(await text(), 'http://localhost/')
    case 'base64':
      return { text: toPaddedBase64(await bytesOf(source, scope, maxOutput)) }
    case 'xlsx': {
      const { sheet, skip_rows, max_rows } = params
      const choice = { sheet, max_rows: skip_rows + max_rows + 1 }
      const { text: lines, truncated } = await document(source, { scope, kind: 'xlsx', rows: choice })
      if (truncated) throw permanentError('too_large', 'It has too many rows; set a maximum')
      const rows = lines === '' ? [] : lines.split('\n').map((line) => JSON.parse(line) as unknown[])
      return withoutEmpty(await rowsAsItems(rows, params), params)
    }
    case 'document': {
      const kind = typeof source === 'string' ? 'pdf' : (documentKind(source.mime_type, source.name) ?? 'pdf')
      return { text: (await document(source, { scope, kind })).text }
    }
    case 'zip':
      return unzipped(source, scope)
    case 'gzip':
      return gunzipped(source, scope)
  }
}

const withoutEmpty = (rows: Record<string, unknown>[], { empty_cells }: Params) =>
  empty_cells
    ? rows
    : rows
        .map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '' && cell !== null)))
        .filter((row) => Object.keys(row).length > 0)

async function bytesOf(source: Source, { context }: NodeScope, max: number): Promise<Uint8Array> {
  return typeof source === 'string' ? new TextEncoder().encode(source) : readFile(context, source, max)
}

async function textOf(source: Source, { params, scope }: Reading): Promise<string> {
  if (typeof source === 'string') return source
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(params.encoding, { ignoreBOM: params.byte_order_mark === 'keep' })
  } catch {
    throw permanentError('invalid_params', `${params.encoding} is not an encoding`)
  }
  return decoder.decode(await bytesOf(source, scope, maxOutput))
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
  } catch (thrown) {
    throw permanentError('invalid_json', `It is not JSON: ${errorMessage(thrown)}`)
  }
}

async function document(
  source: Source,
  { scope, kind, rows }: { scope: NodeScope; kind: DocumentKind; rows?: SheetChoice },
) {
  const { context } = scope
  const bytes = await bytesOf(source, scope, maxDocumentBytes)
  const max_characters = rows ? maxOutput : maxCharacters
  return context.reader.document({ kind, bytes, max_characters, ...(rows && { rows }) }, context.signal)
}

/** The files of an archive, each as an item. */
async function unzipped(source: Source, scope: NodeScope) {
  const { context } = scope
  const pause = async () => {
    await nextTurn()
    context.signal.throwIfAborted()
  }
  const bytes = await bytesOf(source, scope, maxDocumentBytes)
  const entries = [...(await unpack({ bytes, pause }, /[^/]$/))]
  if (entries.length > maxEntries) throw permanentError('too_large', `The archive has more than ${maxEntries} files`)
  const items: { path: string; file: FileValue }[] = []
  for (const [path, content] of entries) {
    context.signal.throwIfAborted()
    items.push({ path, file: await storeFile(scope, { name: path, pieces: once(content) }) })
  }
  return items
}

const maxEntries = 1_000

/** Stores what a compressed file contains as it is unpacked. */
async function gunzipped(source: Source, scope: NodeScope): Promise<{ file: FileValue }> {
  if (typeof source === 'string') throw permanentError('invalid_params', 'A text is not compressed')
  const { content } = await openFile(scope.context, source)
  const unpacked = content.pipeThrough(new DecompressionStream('gzip') as TransformStream<Uint8Array, Uint8Array>)
  try {
    return { file: await storeFile(scope, { name: source.name.replace(/\.gz$/i, ''), pieces: unpacked }) }
  } catch (thrown) {
    if (thrown instanceof TypeError)
      throw permanentError('unreadable', `${source.name} is not a gzip file, or is damaged`)
    throw thrown
  }
}
