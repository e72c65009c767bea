interface Header {
  key: string
  value: string
}

/**
 * Whether our mail server confirmed that an email comes from its sender's domain (RFC 8601): DMARC passed, or a
 * DKIM signature of the domain. Only the topmost `Authentication-Results` with the name of that server counts: it
 * removes forged ones with its own name.
 */
export function isConfirmed(headers: readonly Header[], from: string, authserv_id: string): boolean {
  const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase()
  // Several senders, or one that is not a plain address.
  if (authserv_id === '' || domain === '' || headers.filter(({ key }) => key === 'from').length !== 1) return false
  const results = headers.filter(({ key }) => key === 'authentication-results').map(({ value }) => partsOf(value))
  const own = results.find(([name = '']) => name.split(' ')[0]?.toLowerCase() === authserv_id.toLowerCase())
  return (own ?? []).slice(1).some((result) => confirms(result, domain))
}

function confirms(result: string, domain: string): boolean {
  const [verdict, ...properties] = result.toLowerCase().split(' ')
  const property = (name: string) => properties.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
  if (verdict === 'dmarc=pass') return property('header.from') === domain
  if (verdict !== 'dkim=pass') return false
  const signer = property('header.d') || property('header.i').replace(/^[^@]{0,300}@/, '')
  return signer === domain
}

/** The parts between semicolons, without comments and quotes, which senders can influence. */
function partsOf(value: string): string[] {
  let depth = 0
  let isQuoted = false
  let text = ''
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] ?? ''
    if (character === '\\') at += 1
    else if (isQuoted) isQuoted = character !== '"'
    else if (character === '"' && depth === 0) isQuoted = true
    else if (character === '(') depth += 1
    else if (character === ')' && depth > 0) depth -= 1
    else if (depth === 0) text += character
  }
  return text.split(';').map((part) => part.trim().replace(/\s+/g, ' '))
}
