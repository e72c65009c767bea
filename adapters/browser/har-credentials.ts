import { hideInBody, hideInHeader, hideInUrl, isSecretParameter } from '../../runtime/browser/credentials.ts'
import { redact, redacted } from '../../runtime/secrets/redact.ts'
import type { HarEntry } from './har-entry.ts'

type Pair = HarEntry['request']['headers'][number]

const hideHeader = ({ name, value }: Pair): Pair => ({ name, value: hideInHeader(name, value) })

const hideParameter = ({ name, value }: Pair): Pair => ({
  name,
  value: isSecretParameter(name) ? redacted : redact(value),
})

/** Whatever a cookie holds, it may be what signs somebody in. */
const hideCookie = ({ name }: Pair): Pair => ({ name, value: redacted })

/** An entry of an archive without credentials: it can be handed on. */
export function hideEntry(entry: HarEntry): HarEntry {
  const { request, response } = entry
  const { postData } = request
  return {
    ...entry,
    request: {
      ...request,
      url: hideInUrl(request.url),
      headers: request.headers.map(hideHeader),
      cookies: request.cookies.map(hideCookie),
      queryString: request.queryString.map(hideParameter),
      ...(postData
        ? {
            postData: {
              ...postData,
              params: postData.params.map(hideParameter),
              text: hideInBody(postData.text, postData.mimeType),
            },
          }
        : {}),
    },
    response: {
      ...response,
      headers: response.headers.map(hideHeader),
      cookies: response.cookies.map(hideCookie),
      redirectURL: response.redirectURL && hideInUrl(response.redirectURL),
      content: hideContent(response.content),
    },
  }
}

/** Tokens come in answers of sign-in services, which speak JSON; a page's own text stays as it is. */
function hideContent(content: HarEntry['response']['content']): HarEntry['response']['content'] {
  if (content.text === undefined || content.encoding || !/json/i.test(content.mimeType)) return content
  return { ...content, text: hideInBody(content.text, content.mimeType) }
}
