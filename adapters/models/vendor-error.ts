/** What a vendor's error body says: machine words (types, codes, states) and the sentence for people. */
export interface VendorError {
  words: string
  message: string | undefined
}

/** Reads the error shapes of all vendors, also when one is wrapped in another's, as gateways do. */
export function readVendorError(body: string | undefined): VendorError {
  const parsed = parseJson(body)
  if (parsed !== undefined) return readNode(parsed)
  const isPlainSentence = body && body.length <= 500 && !body.trimStart().startsWith('<')
  return { words: '', message: isPlainSentence ? body.trim() : undefined }
}

function readNode(node: unknown): VendorError {
  if (typeof node === 'string') return { words: '', message: node }
  if (Array.isArray(node)) return readNode(node[0])
  if (!isRecord(node)) return { words: '', message: undefined }
  const inner = readNode(node.error ?? node.response)
  return {
    words: [node.type, node.code, node.status, reasonOf(node.details), inner.words].filter(isWord).join(' '),
    message: [inner.message, node.message, node.detail, detailOf(node.metadata)].find(isSentence),
  }
}

/** Google names the cause of a 400 in `details[].reason`. */
function reasonOf(details: unknown): unknown {
  if (!Array.isArray(details)) return undefined
  return details.find((detail) => isRecord(detail) && detail.reason)?.reason
}

/** OpenRouter keeps the upstream vendor's own words in `metadata.raw`. */
function detailOf(metadata: unknown): unknown {
  return isRecord(metadata) ? metadata.raw : undefined
}

export function parseJson(text: string | undefined): unknown {
  if (!text) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isWord = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number'
const isSentence = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
