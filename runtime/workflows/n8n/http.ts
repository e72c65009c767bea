import { ownValue } from '../../own-value.ts'
import { scriptExpression } from '../script/template.ts'
import { call } from './set.ts'
import { codeOf, jsonOf, translated } from './texts.ts'
import { type Fields, NotExact, skipped, type Translated, type Translating } from './translating.ts'

const bodyTypes = { 'form-urlencoded': 'form', 'multipart-form-data': 'multipart', binaryData: 'file' } as const

/** An `httpRequest` node. Up to version 2, its fields had other names. */
export function httpRequest(node: Translating): Translated {
  const { parameters, version } = node
  const options = (parameters.options ?? {}) as {
    response?: { response?: Fields }
    fullResponse?: unknown
    pagination?: { pagination?: Fields }
  }
  const { authentication = 'none', contentType, bodyContentType } = parameters
  if (authentication !== 'none' && !node.has_credential)
    node.report('authentication', 'needs a credential: choose it in the node', authentication)
  const content = contentType ?? bodyContentType ?? 'json'
  const body_type = ownValue(bodyTypes, String(content)) ?? 'json'
  const response = options.response?.response ?? {}
  const format = response.responseFormat ?? parameters.responseFormat ?? (version < 3 ? 'json' : undefined)
  const pages = options.pagination?.pagination
  if (pages && pages.paginationMode !== 'off') throw new NotExact('asking for page after page has no equivalent')
  skipped(node, 'options', options, ['response', 'fullResponse', 'pagination'])
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
      fail_on_error: response.neverError !== true,
      body_field: String(response.outputPropertyName ?? parameters.dataPropertyName ?? 'data'),
      only_body: response.fullResponse !== true && options.fullResponse !== true,
    },
  }
}

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
