import { z } from 'zod'
import { buildXml } from '../../documents/xml-object.ts'
import { isRecord } from '../../values.ts'
import { fieldAt, withField } from '../field-path.ts'
import type { Extraction, Whitespace } from '../formats/html.ts'
import { tableHtml } from '../formats/html-table.ts'
import { readXml } from '../formats/xml.ts'
import { itemsOf } from '../items.ts'
import { type NodeScope, nodeType, permanentError } from '../node-type.ts'

const common = { category: 'data', risk: 'low', pure: true, usual_input: 'item' } as const

const into = (field: string) =>
  z.string().min(1).max(200).default(field).meta({ description: 'The field that gets the result' })
const keep = z.boolean().default(true).meta({ description: 'Keep the other fields of the input' })

const fieldsOf = (input: unknown): Record<string, unknown> => (isRecord(input) ? input : {})

/** The value of a parameter, or of a field of the input. */
const sourceOf = (value: unknown, input: unknown, field: string): unknown =>
  value ?? (typeof input === 'string' ? input : fieldAt(input, field))

/** Characters of a text or page. */
const maxText = 4 * 1024 * 1024

/** A function of the library `markup`, with what follows the text. */
type Call =
  | readonly ['extracted', readonly Extraction[], Whitespace]
  | readonly ['toHtml', 'github' | 'showdown']
  | readonly ['toMarkdown', object]

/** Calls the library within the limits of code: some texts take far longer than their length. */
function inEngine({ runScript }: NodeScope, text: string, [name, ...rest]: Call): Promise<unknown> {
  if (text.length > maxText) throw permanentError('too_large', `A text has at most ${maxText} characters`)
  const limits = { timeout_ms: 10_000, memory_mb: 256, output_chars: 4_000_000 }
  const code = `return markup.${name}(input.text, ...input.rest)`
  return runScript({ ...limits, code, input: { text, rest } })
}

export const html = nodeType({
  ...common,
  type: 'html',
  title: 'HTML',
  description: 'Takes values from a page by CSS selectors, or makes a page from a text or a table of the items.',
  params: z.object({
    action: z
      .enum(['extract', 'build', 'table'])
      .default('extract')
      .meta({ labels: { extract: 'Take values from a page', build: 'Make a page', table: 'Make a table of a list' } }),
    html: z.unknown().optional().meta({
      description: 'The page, or a list of them. Leave blank for the field html, data or body of the input',
      'x-format': 'multiline',
    }),
    values: z
      .array(
        z.object({
          field: z.string().max(200).default(''),
          selector: z.string().max(2_000).default(''),
          take: z
            .enum(['text', 'layout', 'html', 'attribute', 'value'])
            .default('text')
            .meta({ labels: { layout: 'Text, laid out in lines' } }),
          attribute: z.string().max(200).default(''),
          skip: z.string().max(2_000).default('').meta({ description: 'Selectors of what is left out of a text' }),
          all: z.boolean().default(false).meta({ description: 'A list of all that the selector finds' }),
        }),
      )
      .max(100)
      .default([]),
    whitespace: z
      .enum(['keep', 'trim', 'collapse', 'no_lines'])
      .default('collapse')
      .meta({
        labels: {
          keep: 'As it is',
          trim: 'Not at the ends',
          collapse: 'One space between words',
          no_lines: 'Without line breaks',
        },
      }),
  }),
  async run({ action, html: own, values, whitespace }, scope) {
    const { input } = scope
    if (action === 'build') return { output: { html: typeof own === 'string' ? own : '' } }
    if (action === 'table') return { output: { table: tableHtml(itemsOf(own ?? input).map(fieldsOf)) } }
    const pages = ['html', 'data', 'body']
      .map((field) => sourceOf(own, input, field))
      .find((page) => page !== undefined)
    const results: Record<string, unknown>[] = []
    for (const page of [pages].flat()) {
      if (typeof page !== 'string') throw permanentError('invalid_params', 'html must be the text of a page')
      results.push((await inEngine(scope, page, ['extracted', values, whitespace])) as Record<string, unknown>)
    }
    return { output: Array.isArray(pages) ? results : results[0] }
  },
})

export const markdown = nodeType({
  ...common,
  type: 'markdown',
  title: 'Markdown',
  description: 'Converts Markdown to HTML, or HTML to Markdown.',
  params: z.object({
    action: z
      .enum(['to_html', 'to_markdown'])
      .default('to_html')
      .meta({ labels: { to_html: 'Markdown to HTML', to_markdown: 'HTML to Markdown' } }),
    text: z.string().max(2_000_000).default('').meta({ 'x-format': 'multiline' }),
    into: into('data'),
    keep,
    flavor: z.enum(['github', 'showdown']).default('github').meta({ description: 'Showdown gives headings an id' }),
    options: z.record(z.string(), z.unknown()).default({}).meta({
      description: 'For HTML to Markdown, such as {"bulletMarker": "-"}: those of node-html-markdown',
    }),
  }),
  async run({ action, text, into, keep, flavor, options }, scope) {
    const { input } = scope
    const call: Call = action === 'to_html' ? ['toHtml', flavor] : ['toMarkdown', options]
    const result = await inEngine(scope, text, call)
    return { output: withField(keep ? fieldsOf(input) : {}, into, result) }
  },
})

export const xml = nodeType({
  ...common,
  type: 'xml',
  title: 'XML',
  description: 'Reads XML as an object, or writes an object as XML.',
  params: z.object({
    action: z
      .enum(['to_json', 'to_xml'])
      .default('to_json')
      .meta({ labels: { to_json: 'XML to JSON', to_xml: 'JSON to XML' } }),
    value: z
      .unknown()
      .optional()
      .meta({ description: 'Leave blank for the field data of the input, or the whole input' }),
    into: z
      .string()
      .max(200)
      .default('')
      .meta({ description: 'A field for the result. Leave blank for the output of to_json' }),
    keep,
    root: z.string().max(200).default('root').meta({ description: 'Of an object with several members' }),
    declaration: z.boolean().default(true),
  }),
  async run({ action, value, into, keep, root, declaration }, { context, input }) {
    const fields = keep ? fieldsOf(input) : {}
    if (action === 'to_xml') {
      const own = value ?? input
      if (typeof own !== 'object' || own === null) throw permanentError('invalid_params', 'XML is made of an object')
      const text = buildXml(Array.isArray(own) ? { item: own } : own, { root, headless: !declaration })
      return { output: withField(fields, into || 'data', text) }
    }
    const text = sourceOf(value, input, 'data')
    if (typeof text !== 'string') throw permanentError('invalid_params', 'value must be the text of an XML document')
    const result = await readXml(context, text)
    return { output: into === '' ? result : withField(fields, into, result) }
  },
})
