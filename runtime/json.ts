/** The value of a JSON text or its bytes; null if it is not JSON. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text))
  } catch {
    return null
  }
}

/** `encode` for values that never change and have many readers: the readers of one value follow each other, and share its text. */
export function encodedOnce<Value>(encode: (value: Value) => string): (value: Value) => string {
  let last: { value: Value; text: string } | null = null
  return (value) => {
    if (!last || last.value !== value) last = { value, text: encode(value) }
    return last.text
  }
}
