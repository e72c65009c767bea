/** Replaces a secret. */
export const redacted = '[redacted]'

/** Credentials that are recognised by their form. */
const forms = [
  // Our own keys, sessions, tickets and device tokens.
  /\b(?:svc|sess|tkt|dev)_[0-9a-f]{16,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // Vendors: OpenAI and Anthropic, Groq, Google, GitHub, GitLab, Slack, Stripe, AWS, npm, Hugging Face.
  /\bsk-[\w-]{12,}/g,
  /\bgsk_\w{12,}/g,
  /\bAIza[\w-]{20,}/g,
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,})/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\b(?:sk|rk|pk|whsec)_(?:live|test)?_?\w{16,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:npm|hf)_\w{20,}/g,
  // JSON Web Tokens (RFC 7519).
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?/g,
]

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
  const shaped = forms.reduce((rest, form) => rest.replace(form, redacted), text)
  const told = named.reduce((rest, form) => rest.replace(form, blankValue), shaped)
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
