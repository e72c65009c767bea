import { ownValue } from '../../own-value.ts'
import { scriptExpression, scriptText } from '../script/template.ts'
import { optionsOf } from './data-nodes.ts'
import { each, list, NotExact, skipped } from './equivalent.ts'
import { fileNamed } from './http.ts'
import { call } from './set.ts'
import { codeOf, commaSeparated, isExpression, jsonOf, listOf, translated } from './texts.ts'
import type { Fields, Translate, Translated, Translating } from './translating.ts'

/** The field of the item with this name, or at this path. */
const member = (name: unknown): string =>
  isExpression(name) || !String(name).includes('.')
    ? scriptExpression(`$json[${call(codeOf(name))}]`)
    : scriptExpression(`${JSON.stringify(name)}.split(".").reduce((at, name) => at?.[name], $json)`)

function requireUtf8(encoding: unknown): void {
  if (encoding !== undefined && !/^utf-?8$/i.test(String(encoding)))
    throw new NotExact(`the encoding ${encoding} has no equivalent`)
}

/** Where n8n keeps a file of an item. */
const placeOf = (name: unknown): string => {
  if (isExpression(name)) throw new NotExact('the name of a file from an expression has no equivalent')
  return `$binary.${String(name ?? 'data')}`
}

const readFormats = {
  ...{ csv: 'csv', xlsx: 'xlsx', fromJson: 'json', text: 'text', xml: 'text', pdf: 'document', fromIcs: 'calendar' },
  binaryToPropery: 'base64',
} as const

function extract(node: Translating, operation: string): Translated {
  const { parameters } = node
  const format = ownValue(readFormats, operation)
  if (!format) throw new NotExact(`the format ${operation} has no equivalent`)
  const options = optionsOf(node)
  const file = fileNamed(parameters.binaryPropertyName ?? 'data')
  const encoding = options.encoding === undefined ? {} : { encoding: String(options.encoding) }
  if (format === 'csv' || format === 'xlsx') {
    const { headerRow, fromLine, maxRowCount, delimiter, includeEmptyCells, enableBOM, sheetName, range } = options
    if (range !== undefined && range !== '') throw new NotExact('a range of a sheet has no equivalent')
    if (format === 'xlsx') node.report('file', 'has dates as texts; n8n has them as numbers')
    return each('extract_from_file', {
      file,
      format,
      ...encoding,
      header: headerRow !== false,
      ...(enableBOM === true ? {} : { byte_order_mark: 'keep' }),
      empty_cells: includeEmptyCells === true,
      ...(delimiter === undefined ? (format === 'csv' ? { delimiter: ',' } : {}) : { delimiter: String(delimiter) }),
      ...(sheetName ? { sheet: translated(sheetName) } : {}),
      ...(Number(fromLine) > 1 ? { skip_rows: Number(fromLine) - 1 } : {}),
      ...(Number(maxRowCount) > 0 ? { max_rows: Number(maxRowCount) } : {}),
    })
  }
  if (options.password) node.report('options.password', 'was skipped: a document with a password cannot be read')
  if (format === 'document') {
    node.report('file', 'gives the text alone; n8n adds the number of pages and what describes the document')
    return each('extract_from_file', { file, format, into: 'text' })
  }
  const key = translated(parameters.destinationKey ?? 'data')
  if (format === 'calendar')
    node.report('file', 'gives events with title, start and end as texts; n8n has summary, and times as objects')
  const keep = ownValue({ json: 'fields', both: 'all', binary: 'all' }, String(options.keepSource)) ?? 'nothing'
  return each('extract_from_file', {
    file,
    format,
    ...encoding,
    into: format === 'calendar' ? `${key}.events` : key,
    keep,
  })
}

const extractFromFile: Translate = (node) => extract(node, String(node.parameters.operation ?? 'csv'))

function convert(node: Translating, operation: string): Translated {
  const { parameters } = node
  const { fileName = '', headerRow, delimiter, sheetName, mimeType, encoding, format, addBOM } = optionsOf(node)
  requireUtf8(encoding)
  const common = {
    into: placeOf(parameters.binaryPropertyName),
    name: translated(fileName),
    ...(addBOM === true ? { byte_order_mark: true } : {}),
  }
  const rows = scriptExpression('$input.all().map((item) => item.json)')
  const source = member(parameters.sourceProperty ?? '')
  switch (operation) {
    case 'csv':
    case 'xlsx':
      return list('convert_to_file', {
        ...common,
        format: operation,
        value: rows,
        header: headerRow !== false,
        byte_order_mark: operation === 'csv',
        ...(delimiter === undefined ? {} : { delimiter: String(delimiter) }),
        ...(sheetName ? { sheet: translated(sheetName) } : {}),
      })
    case 'toJson':
      return parameters.mode === 'each'
        ? each('convert_to_file', {
            ...common,
            format: 'json',
            indent: format === true,
            value: scriptExpression('$json'),
          })
        : list('convert_to_file', { ...common, format: 'json', indent: format === true, value: rows })
    case 'toText':
      return each('convert_to_file', { ...common, format: 'text', value: source })
    case 'toBinary': {
      if (optionsOf(node).dataIsBase64 === false)
        return each('convert_to_file', { ...common, format: 'text', value: source })
      const type = mimeType ? { mime_type: translated(mimeType) } : {}
      return each('convert_to_file', { ...common, ...type, format: 'base64', value: source })
    }
    case 'iCal': {
      const { title = '', start, end, allDay, additionalFields } = parameters
      const { description, location, url, uid, status } = (additionalFields ?? {}) as Fields
      const texts = { title, start, end, description, location, url, uid, status }
      const own = Object.entries(texts).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, translated(value)]],
      )
      const event = { ...Object.fromEntries(own), all_day: allDay === true }
      return each('convert_to_file', { ...common, format: 'calendar', value: event })
    }
    default:
      throw new NotExact(`the format ${operation} has no equivalent`)
  }
}

const convertToFile: Translate = (node) => convert(node, String(node.parameters.operation ?? 'csv'))

function spreadsheetFile(node: Translating): Translated {
  const { operation = 'fromFile', fileFormat } = node.parameters
  if (operation === 'toFile') return convert(node, String(fileFormat ?? 'xls'))
  if (fileFormat !== undefined && fileFormat !== 'autodetect') return extract(node, String(fileFormat))
  const { params, ...rest } = extract(node, 'xlsx')
  return { ...rest, params: { ...params, format: 'auto' } }
}

/** Paths of the machine, which here are those of a workspace. */
function workspacePath(node: Translating, field: string, value: unknown): unknown {
  if (!isExpression(value) && /[*?[\]{}]/.test(String(value)))
    throw new NotExact('patterns of paths have no equivalent')
  node.report(field, 'is a path in the workspace of the agent, not on the machine', value)
  return isExpression(value)
    ? translated(value)
    : translated(String(value ?? '').replace(/^(?:~?\/|[A-Za-z]:[\\/])+/, ''))
}

const readFile = (node: Translating, field: string, name: unknown): Translated =>
  each('file', { action: 'read_file', path: workspacePath(node, field, node.parameters[field]), into: placeOf(name) })

const writeFile = (node: Translating): Translated => {
  if (optionsOf(node).append === true) throw new NotExact('adding to a file has no equivalent')
  const path = workspacePath(node, 'fileName', node.parameters.fileName)
  return each('file', { action: 'write', path, content: fileNamed(node.parameters.dataPropertyName) })
}

function htmlValues(node: Translating): Translated {
  const { sourceData = 'json', dataPropertyName = 'data', extractionValues } = node.parameters
  const { trimValues, cleanUpText } = optionsOf(node)
  if (sourceData === 'binary') throw new NotExact('a page in a file has no equivalent; put Extract from file before it')
  const extractions = listOf(extractionValues)
  extractions.forEach(requireExact)
  const isLaidOut = node.name === 'html' && node.version > 1.1
  const trims = node.name === 'htmlExtract' ? trimValues !== false : trimValues === true
  return each('html', {
    html: member(dataPropertyName),
    values: extractions.map(({ key = '', cssSelector = '', returnValue = 'text', ...own }) => ({
      field: translated(key),
      selector: translated(cssSelector),
      take: isLaidOut && returnValue === 'text' ? 'layout' : returnValue,
      attribute: translated(own.attribute ?? ''),
      skip: translated(own.skipSelectors ?? ''),
      all: own.returnArray === true,
    })),
    whitespace: cleanUpText === true ? 'no_lines' : trims ? 'trim' : 'keep',
  })
}

/** n8n completes pages as browsers do before it takes their markup, and an attribute without a name is all of them. */
function requireExact({ returnValue, cssSelector = '', attribute }: Fields): void {
  if (returnValue === 'html' && /\b(html|body)\b/.test(String(cssSelector)))
    throw new NotExact('the markup of a whole page has no equivalent')
  if (returnValue === 'attribute' && (attribute ?? '') === '') throw new NotExact('all attributes have no equivalent')
}

function html(node: Translating): Translated {
  const { operation = 'generateHtmlTemplate', html: page = '' } = node.parameters
  if (operation === 'extractHtmlContent') return htmlValues(node)
  if (operation !== 'generateHtmlTemplate') throw new NotExact(`the operation ${operation} has no equivalent`)
  const text = String(page).replace(/^=/, '')
  return each('html', { action: 'build', html: text.includes('{{') ? scriptText(`=${text}`) : text })
}

function markdown(node: Translating): Translated {
  const { mode = 'htmlToMarkdown', html: page = '', markdown: text = '', destinationKey = 'data' } = node.parameters
  const into = translated(destinationKey)
  if (mode !== 'htmlToMarkdown') {
    const [option] = Object.keys(optionsOf(node))
    if (option !== undefined) throw new NotExact(`the option ${option} has no equivalent`)
    return each('markdown', { text: translated(text), into, flavor: 'showdown' })
  }
  const { textReplace, lineStartEscape, globalEscape, ignore, blockElements, ...others } = optionsOf(node)
  if (ignore) throw new NotExact('leaving out elements has no equivalent')
  const options = {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== '' && value !== false)),
    ...(textReplace
      ? { textReplace: listOf(textReplace).map(({ pattern, replacement }) => [pattern, replacement]) }
      : {}),
    ...(lineStartEscape ? { lineStartEscape: replacementIn(lineStartEscape) } : {}),
    ...(globalEscape ? { globalEscape: replacementIn(globalEscape) } : {}),
    ...(blockElements ? { blockElements: commaSeparated(blockElements) } : {}),
  }
  return each('markdown', { action: 'to_markdown', text: translated(page), into, options: translated(options) })
}

/** A pattern, and what replaces it. */
const replacementIn = (value: unknown): unknown[] => {
  const { pattern, replacement } = ((value as Fields).value ?? {}) as Fields
  return [pattern, replacement]
}

function jwt(node: Translating): Translated {
  const { operation = 'sign', useJson, claims, claimsJson, token = '' } = node.parameters
  const { complete, ignoreExpiration, clockTolerance, kid, algorithm } = optionsOf(node)
  if (algorithm === undefined && operation !== 'decode')
    node.report('algorithm', 'is that of the credential in n8n: choose it')
  const common = {
    action: operation,
    ...(algorithm ? { algorithm } : {}),
    ...(kid ? { key_id: translated(kid) } : {}),
    complete: complete === true,
    ...(ignoreExpiration === true ? { ignore_expiration: true } : {}),
    ...(Number(clockTolerance) > 0 ? { tolerance_seconds: Number(clockTolerance) } : {}),
  }
  if (operation !== 'sign') return each('jwt', { ...common, token: translated(token) })
  if (useJson === true) return each('jwt', { ...common, claims: jsonOf(claimsJson ?? '{}') })
  const names = { audience: 'aud', issuer: 'iss', subject: 'sub', jwtid: 'jti', expiresIn: 'exp', notBefore: 'nbf' }
  const own = Object.entries((claims ?? {}) as Fields).map(([name, value]) => [ownValue(names, name) ?? name, value])
  const times = own.find(([name]) => name === 'exp' || name === 'nbf')
  if (times) throw new NotExact('claims with times have no equivalent; use JSON')
  return each('jwt', { ...common, claims: translated(Object.fromEntries(own)) })
}

function compression(node: Translating): Translated {
  const { operation = 'decompress', binaryPropertyName = 'data', outputFormat = 'zip', fileName = '' } = node.parameters
  const names = commaSeparated(binaryPropertyName)
  if (isExpression(binaryPropertyName)) throw new NotExact('the name of a file from an expression has no equivalent')
  if (operation === 'decompress') throw new NotExact('n8n puts all files in one item; use Extract from file')
  const into = placeOf(node.parameters.binaryPropertyOutput)
  const files = scriptExpression(`[${names.map((name) => `$binary[${JSON.stringify(name)}]`).join(', ')}]`)
  if (outputFormat === 'gzip' && names.length > 1) throw new NotExact('several files cannot be one gzip file')
  return each('convert_to_file', { format: outputFormat, value: files, name: translated(fileName), into, keep: true })
}

function moveBinaryData(node: Translating): Translated {
  const { mode = 'binaryToJson', setAllData = true, convertAllData = true, sourceKey = 'data' } = node.parameters
  const { keepSource, jsonParse, encoding, fileName, keepAsBase64, dataIsBase64, useRawData, mimeType } =
    optionsOf(node)
  requireUtf8(encoding)
  if (keepSource === true) throw new NotExact('keeping the source has no equivalent')
  if (mode === 'binaryToJson') {
    const file = fileNamed(sourceKey)
    if (setAllData === true) return each('extract_from_file', { file, format: 'json' })
    const format = keepAsBase64 === true ? 'base64' : jsonParse === true ? 'json' : 'text'
    const into = translated(node.parameters.destinationKey ?? 'data')
    return each('extract_from_file', { file, format, into, keep: 'fields' })
  }
  const into = placeOf(node.parameters.destinationKey)
  const named = {
    ...(fileName ? { name: translated(fileName) } : {}),
    ...(mimeType ? { mime_type: translated(mimeType) } : {}),
  }
  if (convertAllData === true)
    return each('convert_to_file', { ...named, format: 'json', value: scriptExpression('$json'), into })
  const format = dataIsBase64 === true ? 'base64' : useRawData === true ? 'text' : 'json'
  return each('convert_to_file', { ...named, format, value: member(sourceKey), into, keep: true })
}

/** The nodes that read, write and change files and markup. */
export const fileNodes: Readonly<Record<string, Translate>> = {
  ...{ extractFromFile, convertToFile, spreadsheetFile, html, markdown, jwt, compression, moveBinaryData },
  htmlExtract: htmlValues,
  readPDF: (node) => extract(node, 'pdf'),
  readBinaryFile: (node) => readFile(node, 'filePath', node.parameters.dataPropertyName),
  readBinaryFiles: (node) => readFile(node, 'fileSelector', node.parameters.dataPropertyName),
  writeBinaryFile: writeFile,
  readWriteFile: (node) =>
    node.parameters.operation === 'write'
      ? writeFile(node)
      : readFile(node, 'fileSelector', optionsOf(node).dataPropertyName),
  rssFeedRead(node) {
    skipped(node, 'options', optionsOf(node), ['ignoreSSL'])
    return each('feed', { url: translated(node.parameters.url ?? '') })
  },
  executeCommand(node) {
    node.report('command', 'runs in the sandbox of the agent, without the network and the files of the machine')
    node.report('', 'gives the exit code as exit_code; n8n has it as exitCode')
    return { type: 'tool', params: { tool: 'shell', input: { command: translated(node.parameters.command ?? '') } } }
  },
}
