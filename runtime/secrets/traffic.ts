import { redact, redacted } from './redact.ts'

/** Headers whose whole value is a credential. */
const headerNames =
  /^(?:authorization|proxy-authorization|cookie2?|set-cookie2?|x-(?:\w+-)*(?:token|key|auth|secret|session|csrf)(?:-\w+)*|api-?key|.*-token|www-authenticate)$/i

/** Names of secret parameters in addresses and forms. */
const parameterNames =
  /(?:^|[_.[-])(?:token|jwt|pass(?:word|wd|phrase|code)?|pwd|secret|api[_-]?key|key|auth(?:orization)?|sig(?:nature)?|session(?:[_-]?id)?|sid|otp|code|credential|assertion|saml\w*)(?:$|[\]_.-])|token$|password$|secret$|apikey$/i

export const isSecretHeader = (name: string): boolean => headerNames.test(name)

export const isSecretParameter = (name: string): boolean => parameterNames.test(name)

/** A header value without credentials. */
export function hideInHeader(name: string, value: string): string {
  if (isSecretHeader(name)) return redacted
  return /^(?:location|referer|content-location|link|refresh|origin)$/i.test(name) ? hideInUrl(value) : redact(value)
}

/** An address without user, password and secret parameters. */
export function hideInUrl(address: string): string {
  const url = URL.parse(address)
  if (!url) return redact(address)
  if (url.protocol === 'data:') return address
  let changed = url.username !== '' || url.password !== ''
  if (changed) {
    url.username = ''
    url.password = ''
  }
  const search = hideInPairs(url.search.slice(1))
  const hash = url.hash.includes('=') ? hideInPairs(url.hash.slice(1)) : url.hash.slice(1)
  changed ||= search !== url.search.slice(1) || hash !== url.hash.slice(1)
  if (!changed) return redact(address)
  const [start = ''] = url.href.split(/[?#]/)
  return redact(start) + (search && `?${search}`) + (hash && `#${hash}`)
}

/** Text such as `a=1&token=2` without the values of secret parameters. */
export const hideInPairs = (text: string): string =>
  text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=')
      if (at < 0) return redact(pair)
      const value = isSecretParameter(decoded(pair.slice(0, at))) ? redacted : redact(pair.slice(at + 1))
      return `${pair.slice(0, at)}=${value}`
    })
    .join('&')

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A request body without secrets. */
export function hideInBody(text: string, mimeType: string): string {
  if (/x-www-form-urlencoded/i.test(mimeType)) return hideInPairs(text)
  if (!/json/i.test(mimeType)) return redact(text)
  try {
    return JSON.stringify(JSON.parse(text), (name, value) =>
      name !== '' && isSecretParameter(name) && typeof value === 'string' ? redacted : value,
    )
  } catch {
    return redact(text)
  }
}
