import { headerProblem } from '../hook-response.ts'
import { scriptExpression } from '../script/template.ts'
import { list, NotExact, skipped } from './equivalent.ts'
import { fileNamed } from './http.ts'
import { isExpression, jsonOf, listOf, translated } from './texts.ts'
import type { Fields, Translated, Translating } from './translating.ts'

/** A `respondToWebhook` node. */
export function respondToWebhook(node: Translating): Translated {
  const { respondWith = 'firstIncomingItem', responseBody = '', redirectURL = '' } = node.parameters
  const { options } = node.parameters
  const { responseCode, responseHeaders } = (options ?? {}) as Fields
  skipped(node, 'options', options, ['responseCode', 'responseHeaders'])
  const headers = headersOf(node, responseHeaders)
  const bodies: Record<string, () => Fields> = {
    firstIncomingItem: () => ({ body: scriptExpression('$json') }),
    allIncomingItems: () => ({ body: scriptExpression('$input.all().map((item) => item.json)') }),
    json: () => ({ body: jsonOf(responseBody) }),
    text: () => ({
      respond_with: 'text',
      body: translated(responseBody),
      headers: { 'content-type': 'text/html', ...headers },
    }),
    binary: () => ({
      respond_with: 'file',
      ...(node.parameters.responseDataSource === 'set' ? { body: fileNamed(node.parameters.inputFieldName) } : {}),
    }),
    redirect: () => ({ respond_with: 'redirect', url: translated(redirectURL) }),
    noData: () => ({ respond_with: 'nothing' }),
  }
  const mode = String(respondWith)
  const body = Object.hasOwn(bodies, mode) ? bodies[mode] : undefined
  if (!body) throw new NotExact(`responding with ${mode} has no equivalent`)
  if (mode === 'text' && /<(script|form|link|img|iframe)\b/i.test(String(responseBody)))
    node.report('responseBody', 'is shown without scripts, forms and what is loaded from elsewhere')
  const status = isExpression(responseCode) ? translated(responseCode) : Number(responseCode ?? 200)
  return list('respond', { status, headers, ...body() })
}

/** By lower-case name. Those that a workflow cannot set are reported. */
function headersOf(node: Translating, list: unknown): Fields {
  const headers: Fields = {}
  for (const { name, value } of listOf(list)) {
    const text = String(value ?? '')
    const problem = headerProblem(String(name), isExpression(text) ? 'text/plain' : text)
    if (problem === null) headers[String(name).toLowerCase()] = translated(text)
    else node.report(`headers.${String(name)}`, `was left out: it ${problem}`, value)
  }
  return headers
}
