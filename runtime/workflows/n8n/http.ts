import { ownValue } from '../../own-value.ts'
import { scriptExpression, scriptText } from '../script/template.ts'
import { NotExact, skipped } from './equivalent.ts'
import { call } from './set.ts'
import { codeOf, commaSeparated, isExpression, jsonOf, listOf, translated } from './texts.ts'
import type { Fields, Translated, Translating } from './translating.ts'

const usedOptions = ['response', 'fullResponse', 'pagination', 'batching', 'batchSize', 'batchInterval']

const bodyTypes = { 'form-urlencoded': 'form', 'multipart-form-data': 'multipart', binaryData: 'file' } as const

/** An `httpRequest` node. Up to version 2, its fields had other names. */
export function httpRequest(node: Translating): Translated {
  const { parameters, version } = node
  const options = (parameters.options ?? {}) as {
    response?: { response?: Fields }
    fullResponse?: unknown
    pagination?: { pagination?: Fields }
    batching?: { batch?: Fields }
    batchSize?: unknown
    batchInterval?: unknown
  }
  const { authentication = 'none', contentType, bodyContentType } = parameters
  if (authentication !== 'none' && !node.has_credential)
    node.report('authentication', 'needs a credential: choose it in the node', authentication)
  const content = contentType ?? bodyContentType ?? 'json'
  const body_type = ownValue(bodyTypes, String(content)) ?? 'json'
  const response = options.response?.response ?? {}
  const format = response.responseFormat ?? parameters.responseFormat ?? (version < 3 ? 'json' : undefined)
  const pages = pagesOf(node, options.pagination?.pagination)
  const pace = paceOf(options.batching?.batch ?? options)
  const isFull = response.fullResponse === true || options.fullResponse === true
  skipped(node, 'options', options, usedOptions)
  // A hidden field of version 3 and later keeps its value.
  const uses = (name: string) => version < 3 || parameters[name] !== false
  const { queryParameters, queryParametersUi, headerParameters, headerParametersUi } = parameters
  const method = parameters.method ?? parameters.requestMethod ?? 'GET'
  const isSent =
    parameters.sendBody === true ||
    parameters.jsonBody !== undefined ||
    parameters.bodyParametersJson !== undefined ||
    parameters.bodyParametersUi !== undefined
  const hasBody = isSent && uses('sendBody')
  if (hasBody && (method === 'GET' || method === 'HEAD'))
    node.report('body', `is not sent, because a ${method} request has no body here`)
  return {
    type: 'http',
    params: {
      method,
      url: translated(parameters.url ?? ''),
      query: fieldsOf(
        parameters.jsonQuery ?? parameters.queryParametersJson,
        uses('sendQuery') ? (queryParameters ?? queryParametersUi) : undefined,
      ),
      headers: fieldsOf(
        parameters.jsonHeaders ?? parameters.headerParametersJson,
        uses('sendHeaders') ? (headerParameters ?? headerParametersUi) : undefined,
      ),
      ...(hasBody ? { body: bodyOf(node), ...(body_type === 'json' ? {} : { body_type }) } : {}),
      response: ownValue({ text: 'text', string: 'text', json: 'json', file: 'file' }, String(format)) ?? 'auto',
      file_field: `$binary.${String(response.outputPropertyName ?? parameters.dataPropertyName ?? 'data')}`,
      // An error on the last page is none.
      fail_on_error: response.neverError !== true && !pages,
      body_field: String(response.outputPropertyName ?? parameters.dataPropertyName ?? 'data'),
      only_body: !isFull,
      ...(isFull ? { transform: fullResponse(String(response.outputPropertyName ?? 'data')) } : {}),
      ...(pages ? { pages } : {}),
    },
    ...(pace ? { pace } : {}),
  }
}

/** The fields of a full response, as n8n names them. A text is in a field of its own. */
const fullResponse = (field: string): string =>
  `const { status, status_text, body, ...rest } = input
const own = typeof body === 'string' ? { ${JSON.stringify(field)}: body } : body === undefined ? {} : { body }
return { ...own, ...rest, statusCode: status, statusMessage: status_text }`

/** Requests go out in batches, with a pause between them. */
function paceOf({ batchSize, batchInterval }: Fields): Translated['pace'] {
  if (batchSize === undefined && batchInterval === undefined) return undefined
  const size = Math.max(1, Math.floor(Number(batchSize ?? 50)))
  const seconds = Number(batchInterval ?? 1_000) / 1_000
  const concurrency = Math.min(maxConcurrency, size)
  return seconds > 0 ? { concurrency, pause_seconds: Math.min(3_600, (seconds * concurrency) / size) } : undefined
}

const maxConcurrency = 20

const places = { qs: 'query', headers: 'headers', body: 'body' } as const

/** The pages of a request. n8n takes the address of the node if there is no other one. */
function pagesOf({ parameters }: Translating, pages: Fields | undefined): Fields | undefined {
  const { paginationMode = 'updateAParameterInEachRequest', paginationCompleteWhen = 'responseIsEmpty' } = pages ?? {}
  if (!pages || paginationMode === 'off') return undefined
  const { nextURL, completeExpression, statusCodesWhenComplete, limitPagesFetched, maxRequests, ...own } = pages
  const ofNext = paginationMode === 'responseContainsNextURL'
  const change = ofNext ? [] : listOf(own.parameters)
  if (!ofNext && (change.length === 0 || change.some(({ name, value }) => !name || value === '')))
    throw new NotExact('no parameter of its pages changes')
  if (change.some(({ type }) => type === 'body') && (parameters.method ?? 'GET') === 'GET')
    throw new NotExact('pages by the body of a GET request have no equivalent')
  const [, complete] = /^=\{\{(.*)\}\}$/s.exec(String(completeExpression ?? '').trim()) ?? []
  if (paginationCompleteWhen === 'other' && complete === undefined) throw new NotExact('its last page is not known')
  const until = ownValue(
    { responseIsEmpty: 'empty', receiveSpecificStatusCodes: 'status' },
    String(paginationCompleteWhen),
  )
  return {
    ...(ofNext ? { next: nextOf(nextURL ?? '', parameters.url ?? '') } : {}),
    change: change.map(({ type = 'qs', name, value }) => ({
      in: ownValue(places, String(type)) ?? 'query',
      name: translated(name),
      value: valueCode(value),
    })),
    until: until ?? 'expression',
    statuses: commaSeparated(statusCodesWhenComplete).flatMap((code) => Number.parseInt(code, 10) || []),
    // An expression without a value ends them as well.
    ...(until ? {} : { expression: scriptExpression(`$typed(() => !(${complete}), "any") !== true`) }),
    max: limitPagesFetched === true ? limitOf(maxRequests ?? 100) : null,
    pause_seconds: secondsOf(own.requestInterval ?? 0),
  }
}

const valueCode = (value: unknown): string =>
  isExpression(value) && value.includes('{{') ? scriptText(value) : scriptExpression(JSON.stringify(value))

function nextOf(nextUrl: unknown, url: unknown): string {
  const next = `$typed(${codeOf(nextUrl)}, "any", { missing: "text" })`
  const usual = `next === "undefined" ? ${call(codeOf(url))} : /^https?:/.test(next) ? next : "'" + next + "'"`
  return scriptExpression(`((next) => ${usual})(${next})`)
}

const limitOf = (max: unknown): unknown =>
  isExpression(max)
    ? scriptExpression(`((max) => max >= 1 && max <= 10000 ? Math.ceil(max) : null)(Number(${call(codeOf(max))}))`)
    : Number(max) || null

const secondsOf = (interval: unknown): unknown =>
  isExpression(interval) ? scriptExpression(`Number(${call(codeOf(interval))}) / 1000`) : Number(interval) / 1_000

function bodyOf(node: Translating): unknown {
  const { jsonBody, bodyParametersJson, body, bodyParameters, bodyParametersUi } = node.parameters
  const json = jsonBody ?? bodyParametersJson
  if ((node.parameters.contentType ?? node.parameters.bodyContentType) === 'binaryData')
    return fileNamed(node.parameters.inputDataFieldName ?? 'data')
  if (json !== undefined) return strictJson(json)
  if (body !== undefined) return translated(body)
  return pairs(bodyParameters ?? bodyParametersUi)
}

/** An expression for a file of the item. */
export const fileNamed = (name: unknown): string => scriptExpression(`$binary[${call(codeOf(name ?? 'data'))}]`)

/** Name and value pairs, as n8n stores headers, queries and fields. */
export function pairs(value: unknown): Fields {
  // `parameter` is the name up to version 2.
  const { parameters, parameter } = (value ?? {}) as { parameters?: unknown[]; parameter?: unknown[] }
  const list = parameters ?? parameter ?? []
  return Object.fromEntries(
    list.map((one) => {
      const { name, value, parameterType, inputDataFieldName } = one as Fields
      if (parameterType === 'formBinaryData') return [String(name ?? ''), fileNamed(inputDataFieldName)]
      return [String(name ?? ''), translated(value ?? '')]
    }),
  )
}

/** Names and values given as JSON, or as a list. */
const fieldsOf = (json: unknown, list: unknown): unknown =>
  json === undefined || json === '' ? pairs(list) : strictJson(json)

const strictJson = (json: unknown) => jsonOf(json, '$join', 'JSON parameter needs to be valid JSON')
