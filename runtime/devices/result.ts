/** The longest frame of the device socket, in bytes. A longer one closes the connection. */
export const maxFrame = 1024 * 1024

/** Maximum characters of an error. */
export const maxError = 5_000

interface Outcome {
  ok: boolean
  output?: unknown
  error?: string
}

/** The frame with the result of a command; an error if the result is too long for a frame and would close every connection. */
export function resultFrame(id: string, { ok, output, error }: Outcome) {
  if (!ok) return { type: 'result', id, ok, error: error?.slice(0, maxError) }
  const frame = { type: 'result', id, ok, output }
  const bytes = new TextEncoder().encode(JSON.stringify(frame)).length
  if (bytes <= maxFrame) return frame
  return { type: 'result', id, ok: false, error: `The output has ${bytes} bytes; the limit is ${maxFrame}` }
}
