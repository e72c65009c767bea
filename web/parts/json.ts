/** Text stays text; anything else becomes indented JSON. Text that contains JSON is indented too. */
export function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? ''
  const text = value.trim()
  if (!/^[[{]/.test(text)) return value
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return value
  }
}

export type ParsedObject = { ok: true; value: Record<string, unknown> } | { ok: false; reason: string }

/** Parses text that must be a JSON object: the input of a tool. */
export function parseObject(text: string): ParsedObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { ok: false, reason: `Not valid JSON: ${error instanceof Error ? error.message : 'unreadable'}` }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: 'The input must be a JSON object, for example {"path": "notes.md"}' }
  }
  return { ok: true, value: value as Record<string, unknown> }
}
