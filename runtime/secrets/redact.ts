/** Replaces a secret. */
export const redacted = '[redacted]'

/** Credentials of one form. Each match contains one of the marks, so that most texts need no search. */
interface Form {
  marks: readonly string[]
  pattern: RegExp
  /** Whether a match is an ordinary name, such as one of words with hyphens. */
  isName?(match: string): boolean
}

/** Credentials that the daemon issues: keys, sessions, tickets, device tokens and secrets of webhooks. */
const issued: readonly Form[] = [
  { marks: ['svc_', 'sess_', 'tkt_', 'dev_'], pattern: /\b(?:svc|sess|tkt|dev)_[0-9a-f]{16,}/g },
  { marks: ['whsec_'], pattern: /\bwhsec_[\w+/-]{16,}={0,2}/g },
]

/** Credentials of others. */
const foreign: readonly Form[] = [
  {
    marks: ['PRIVATE KEY-----'],
    pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  },
  // OpenAI and Anthropic.
  {
    marks: ['sk-'],
    pattern: /\bsk-[\w-]{12,}/g,
    // Words joined by hyphens, such as the name of a package.
    isName: (text) => /^sk(?:-[a-z]{1,14})+$/.test(text) && !/^sk-(?:ant|proj|svcacct|admin|or)-/.test(text),
  },
  { marks: ['gsk_'], pattern: /\bgsk_\w{12,}/g },
  { marks: ['AIza'], pattern: /\bAIza[\w-]{20,}/g },
  { marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /\bgh[pousr]_\w{20,}/g },
  { marks: ['github_pat_'], pattern: /\bgithub_pat_\w{20,}/g },
  { marks: ['glpat-'], pattern: /\bglpat-[\w-]{16,}/g },
  { marks: ['xox'], pattern: /\bxox[abeoprs]-[\w-]{10,}/g },
  { marks: ['k_live_', 'k_test_'], pattern: /\b[srp]k_(?:live|test)_\w{10,}/g },
  { marks: ['AKIA', 'ASIA'], pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { marks: ['npm_', 'hf_'], pattern: /\b(?:npm|hf)_\w{20,}/g },
  // JSON Web Tokens (RFC 7519).
  { marks: ['eyJ'], pattern: /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?/g },
]

/** Shorter texts contain no credential of any form. */
const shortest = 15

const withoutForms = (forms: readonly Form[]) => {
  const anyMark = new RegExp(forms.flatMap(({ marks }) => marks).join('|'))
  return (text: string): string => {
    if (text.length < shortest || !anyMark.test(text)) return text
    return forms.reduce(withoutForm, text)
  }
}

function withoutForm(text: string, { marks, pattern, isName }: Form): string {
  if (!marks.some((mark) => text.includes(mark))) return text
  return text.replace(pattern, (match) => (isName?.(match) ? match : redacted))
}

/** A text without the credentials that the daemon issues. */
export const redactIssued = withoutForms(issued)

/** A text without credentials that are recognised by their form alone. Takes time linear in the text. */
export const redactForms = withoutForms([...issued, ...foreign])

/** Names of fields that hold a credential. */
export const secretName =
  /(^|_|-)(key|token|secret|password|passphrase|authorization|cookie|credentials?|ticket|signature)$/i

/** Words before a secret of any form; the secret is the group `value`. */
const named = [
  /\b(?:authorization\s*:\s*)?(?:bearer|basic)\s+(?<value>[\w.~+/=-]{8,})/gi,
  /(?:pass(?:word|wd|phrase|code)|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credentials?)\w{0,40}["']?\s{0,20}(?:(?:is|are|was)\s{0,20}:?|[:=]>?)\s{0,20}(?<value>"[^"\n]+"|'[^'\n]+'|`[^`\n]+`|[^\s"'`,;]+)/gi,
  /\b(?:pin|cvv|cvc)(?: code| number)?\s*(?:is|:|=)\s*(?<value>\d{3,8})\b/gi,
  // A password in an address: scheme://user:password@host.
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]+:(?<value>[^\s@/]+)@/gi,
]

/** Words that follow "the password is" without being one. */
const noSecret =
  /^["'`]?(?:not|no|the|a|an|my|your|in|on|at|for|from|to|too|very|still|now|also|wrong|correct|right|invalid|expired|missing|required|needed|empty|safe|secure|stored|saved|set|unset|null|true|false|none|undefined|string|something|what|how|where|why|\[redacted\])\b[.!?]?["'`]?$/i

const card = /\b\d(?:[ -]?\d){12,18}\b/g

/**
 * A text with its secrets redacted: keys and tokens by their form, what follows "password:" and the like,
 * private keys, and payment card numbers with a valid check digit.
 */
export function redact(text: string): string {
  const told = named.reduce((rest, form) => rest.replace(form, blankValue), redactForms(text))
  return told.replace(card, (digits) => (isCard(digits) ? redacted : digits))
}

function blankValue(match: string, ...rest: unknown[]): string {
  const { value } = rest.at(-1) as { value: string }
  if (noSecret.test(value)) return match
  const end = /(?<![.!?)])[.!?)]+$/.exec(value)?.[0] ?? ''
  const at = match.lastIndexOf(value)
  return match.slice(0, at) + redacted + end + match.slice(at + value.length)
}

/** ISO/IEC 7812: 13 to 19 digits of which the last is Luhn's check digit. */
function isCard(text: string): boolean {
  const digits = [...text.replace(/\D/g, '')].map(Number).reverse()
  const sum = digits.reduce((total, digit, index) => {
    const part = index % 2 === 1 ? digit * 2 : digit
    return total + (part > 9 ? part - 9 : part)
  }, 0)
  return digits.length >= 13 && digits.length <= 19 && sum % 10 === 0 && new Set(digits).size > 1
}
