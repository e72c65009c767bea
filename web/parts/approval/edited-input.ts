export type EditedInput = { ok: true; value: Record<string, unknown> } | { ok: false; reason: string }

/** Checks what a person typed as a tool's input: it has to be a JSON object. */
export function editedInput(text: string): EditedInput {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      ok: false,
      reason: `Not valid JSON: ${error instanceof Error ? error.message : 'cannot be read'}`,
    }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, reason: 'The input has to be a JSON object, for example {"path": "notes.md"}' }
  }
  return { ok: true, value: value as Record<string, unknown> }
}
