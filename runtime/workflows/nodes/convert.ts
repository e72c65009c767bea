import { Zip, ZipDeflate } from 'fflate'
import { z } from 'zod'
import { type Cell, workbook } from '../../documents/workbook.ts'
import { buildXml } from '../../documents/xml-object.ts'
import { newId } from '../../id.ts'
import { fromBase64 } from '../../secrets/base64.ts'
import { once } from '../../streams.ts'
import { iso } from '../../time.ts'
import { isRecord } from '../../values.ts'
import { withField } from '../field-path.ts'
import { type FileValue, filesIn } from '../file-value.ts'
import { type CalendarEvent, calendarText } from '../formats/calendar.ts'
import { cellText, columnsOf, csvText } from '../formats/csv.ts'
import { tableHtml } from '../formats/html-table.ts'
import { openFile, requireFileIn, storeFile } from '../item-files.ts'
import { itemsOf } from '../items.ts'
import { type NodeScope, nodeType, permanentError } from '../node-type.ts'
import { fieldsOf, type Row } from './rows.ts'

const types = {
  csv: ['csv', 'text/csv'],
  json: ['json', 'application/json'],
  xlsx: ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  text: ['txt', 'text/plain'],
  html: ['html', 'text/html'],
  xml: ['xml', 'application/xml'],
  calendar: ['ics', 'text/calendar'],
  zip: ['zip', 'application/zip'],
  gzip: ['gz', 'application/gzip'],
  base64: ['bin', ''],
} as const

const Params = z.object({
  format: z
    .enum(Object.keys(types) as [keyof typeof types, ...(keyof typeof types)[]])
    .default('csv')
    .meta({
      labels: {
        csv: 'CSV',
        json: 'JSON',
        xlsx: 'Excel (XLSX)',
        text: 'Text',
        html: 'Web page (HTML): a text, or a table of the items',
        xml: 'XML',
        calendar: 'Calendar (iCal): an event for each item',
        zip: 'ZIP of the files of the items',
        gzip: 'Gzip of a file',
        base64: 'File from Base64',
      },
    }),
  value: z.unknown().optional().meta({ description: 'What to write. Leave blank for the input' }),
  name: z.string().max(255).default('').meta({ description: 'Of the file; its ending is added' }),
  mime_type: z.string().max(200).default('').meta({ description: 'Leave blank for that of the format' }),
  into: z.string().min(1).max(200).default('file').meta({ description: 'The field that gets the file' }),
  keep: z.boolean().default(false).meta({ description: 'Keep the other fields of the input, if it is one item' }),
  header: z.boolean().default(true).meta({ description: 'The first row of a table has the names of the fields' }),
  delimiter: z.string().min(1).max(5).default(',').meta({ description: 'Of CSV' }),
  byte_order_mark: z.boolean().default(false).meta({ description: 'Old programs recognize UTF-8 by it' }),
  indent: z.boolean().default(true).meta({ description: 'JSON is written in lines' }),
  sheet: z.string().max(31).default('Sheet1').meta({ description: 'Name of the sheet of Excel' }),
})
type Params = z.output<typeof Params>

export const convertToFile = nodeType<Params>({
  type: 'convert_to_file',
  title: 'Convert to file',
  description: 'Makes a file of the items of the input, or of a value. Its output is {file}.',
  category: 'data',
  risk: 'low',
  params: Params,
  async run(params, scope) {
    const [ending, usual] = types[params.format]
    const name = nameOf(params.name, ending)
    const pieces = await piecesOf(params, scope)
    const file = await storeFile(scope, { name, pieces, mime_type: params.mime_type || usual })
    const kept = params.keep && isRecord(scope.input) ? scope.input : {}
    return { output: withField(kept, params.into, file) }
  },
})

const nameOf = (name: string, ending: string): string =>
  name === '' ? `file.${ending}` : ending === 'bin' || /\.\w{1,5}$/.test(name) ? name : `${name}.${ending}`

async function piecesOf(params: Params, scope: NodeScope): Promise<AsyncIterable<Uint8Array>> {
  const { format, header } = params
  const value = params.value ?? scope.input
  const mark = params.byte_order_mark ? '\uFEFF' : ''
  const text = (content: string) => once(new TextEncoder().encode(mark + content))
  switch (format) {
    case 'csv':
      return text(csvText(rowsOf(value), params))
    case 'json':
      return text(JSON.stringify(value ?? null, null, params.indent ? 2 : 0))
    case 'text':
      return text(cellText(value))
    case 'html':
      return text(typeof value === 'string' ? value : tableHtml(rowsOf(value)))
    case 'xml':
      if (typeof value !== 'object' || value === null)
        throw permanentError('invalid_params', 'XML is made of an object')
      return text(buildXml(Array.isArray(value) ? { item: value } : value))
    case 'calendar': {
      const { clock } = scope.context
      const uid = () => newId('evt', clock.now())
      return text(calendarText(rowsOf(value) as CalendarEvent[], { now: iso(clock.now()), uid }))
    }
    case 'xlsx': {
      const items = rowsOf(value)
      const names = columnsOf(items)
      const cells = items.map((item) => names.map((name) => cellOf(item[name])))
      return once(workbook(header ? [names, ...cells] : cells, params.sheet))
    }
    case 'base64':
      return once(decoded(cellText(value)))
    case 'gzip': {
      const { content } = await openFile(scope.context, requireFileIn(value, scope.input))
      return content.pipeThrough(new CompressionStream('gzip') as TransformStream<Uint8Array, Uint8Array>)
    }
    case 'zip': {
      const files = filesIn(value)
      if (files.length === 0) throw permanentError('no_file', 'There is no file in the input')
      return zipped(scope, files)
    }
  }
}

const rowsOf = (value: unknown): Row[] => itemsOf(value).map(fieldsOf)

const cellOf = (value: unknown): Cell =>
  typeof value === 'number' || typeof value === 'boolean' ? value : cellText(value)

function decoded(text: string): Uint8Array {
  const bytes = fromBase64(
    text
      .replace(/^data:[^,]*;base64,/, '')
      .replace(/\s+/g, '')
      .replace(/={1,2}$/, ''),
  )
  if (!bytes) throw permanentError('invalid_base64', 'The value is not Base64')
  return bytes
}

/** An archive that is written while its files are read. Files of the same name get a number. */
async function* zipped({ context }: NodeScope, files: readonly FileValue[]): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  const used = new Set<string>()
  for (const file of files) {
    context.signal.throwIfAborted()
    const entry = new ZipDeflate(uniqueName(file.name, used), { level: 6 })
    entry.mtime = context.clock.now()
    zip.add(entry)
    const { content } = await openFile(context, file)
    for await (const piece of content) {
      entry.push(piece)
      yield* ready.splice(0)
    }
    entry.push(new Uint8Array(), true)
    yield* ready.splice(0)
  }
  zip.end()
  yield* ready.splice(0)
}

function uniqueName(name: string, used: Set<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let own = name
  for (let count = 2; used.has(own); count += 1) own = `${stem} (${count})${ending}`
  used.add(own)
  return own
}
