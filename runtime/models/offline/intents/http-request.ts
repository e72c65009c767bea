import { compose } from '../compose.ts'
import { outcomeMaterial } from '../conversation.ts'
import { lacks } from '../notice.ts'
import { addressesIn } from '../sources.ts'
import { unquote } from '../text.ts'
import { call, type Intent, matched, say } from '../types.ts'

const SHAPE =
  /^(?:(?:send|make|do|issue|perform) )?(?:an? |the )?(?:https? )?(?<method>GET|POST|PUT|PATCH|DELETE|HEAD|post|put|patch|delete|head)\b(?: request)?(?: to)? (?<url>https?:\/\/\S+)(?:,?\s+(?:with|and)?\s*(?:the |an? )?(?:json )?(?:body|data|json|payload)?:?\s*(?<body>[\s\S]+))?$/
const MADE =
  /^(?:send|make|do|issue|perform) an? (?<method>get|post|put|patch|delete|head) request to (?<url>https?:\/\/\S+)$/i

export const httpRequest: Intent = {
  name: 'http',
  tools: ['http_request'],
  examples: ['GET https://example.com/api', 'POST https://example.com/api with body {"a": 1}'],
  content: true,
  match(text) {
    const { method, url, body } = (SHAPE.exec(text) ?? MADE.exec(text))?.groups ?? {}
    if (!method || !url) return null
    return {
      ...matched(0.96, {
        method: method.toUpperCase(),
        url: addressesIn(url)[0] ?? url,
        ...(body && { body }),
      }),
      whole: body !== undefined,
    }
  },
  async *run({ slots }, scene) {
    const { method = 'GET', url = '', body } = slots
    if (!scene.tools.has('http_request')) {
      yield say(lacks('http_request'))
      return undefined
    }
    const json = body !== undefined && /^[[{]/.test(body.trim())
    const headers = json ? { headers: { 'content-type': 'application/json' } } : {}
    const outcome = yield call('http_request', {
      method,
      url,
      ...headers,
      ...(body && { body: unquote(body) }),
    })
    yield say(compose(outcome))
    return outcome.failed ? undefined : outcomeMaterial(outcome)
  },
}
