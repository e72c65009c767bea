import { type Fields, skipped, type Translated, type Translating } from './translating.ts'

/** An `httpRequest` node. Up to version 2, its fields had other names. */
export function httpRequest(node: Translating): Translated {
  const { parameters, version } = node
  const options = (parameters.options ?? {}) as { response?: { response?: Fields }; fullResponse?: unknown }
  const { authentication = 'none', contentType, bodyContentType } = parameters
  if (authentication !== 'none')
    node.report('authentication', 'needs its credential again: add it as a header', authentication)
  const content = contentType ?? bodyContentType ?? 'json'
  if (content !== 'json' && content !== 'raw') node.report('contentType', 'is sent as JSON', content)
  const response = options.response?.response ?? {}
  const format = response.responseFormat ?? parameters.responseFormat
  if (format === 'file') node.report('responseFormat', 'a file is not kept; its type and size are returned')
  skipped(node, 'options', options, ['response', 'fullResponse'])
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
      url: node.value('url', parameters.url ?? ''),
      query: {
        ...(uses('sendQuery') ? pairs(node, 'queryParameters', queryParameters ?? queryParametersUi) : {}),
        ...jsonPairs(node, 'jsonQuery', parameters.jsonQuery ?? parameters.queryParametersJson),
      },
      headers: {
        ...(uses('sendHeaders')
          ? pairs(node, 'headerParameters', headerParameters ?? headerParametersUi)
          : {}),
        ...jsonPairs(node, 'jsonHeaders', parameters.jsonHeaders ?? parameters.headerParametersJson),
      },
      ...(hasBody ? { body: bodyOf(node) } : {}),
      ...(format === 'text' || format === 'string' ? { response: 'text' } : {}),
      fail_on_error: response.neverError !== true,
      only_body: response.fullResponse !== true && options.fullResponse !== true,
    },
  }
}

function bodyOf(node: Translating): unknown {
  const { jsonBody, bodyParametersJson, body, bodyParameters, bodyParametersUi } = node.parameters
  const json = jsonBody ?? bodyParametersJson
  if (json !== undefined) return node.json('jsonBody', json) ?? node.value('jsonBody', json)
  if (body !== undefined) return node.value('body', body)
  return pairs(node, 'bodyParameters', bodyParameters ?? bodyParametersUi)
}

/** Name and value pairs, as n8n stores headers, queries and fields. */
function pairs(node: Translating, field: string, given: unknown): Fields {
  // `parameter` is the name up to version 2.
  const { parameters, parameter } = (given ?? {}) as { parameters?: unknown[]; parameter?: unknown[] }
  const list = parameters ?? parameter ?? []
  return Object.fromEntries(
    list.map((one) => {
      const { name, value } = one as { name?: unknown; value?: unknown }
      return [String(name ?? ''), node.value(`${field}.${name}`, value ?? '')]
    }),
  )
}

/** Names and values given as a JSON object, or as a template that returns one. */
function jsonPairs(node: Translating, field: string, given: unknown): Fields {
  if (given === undefined || given === '') return {}
  const parsed = node.json(field, given)
  if (typeof parsed === 'object' && parsed !== null) return parsed as Fields
  node.report(field, 'is not a JSON object and was skipped', given)
  return {}
}
