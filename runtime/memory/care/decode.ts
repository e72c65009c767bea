import type { Context } from '../../context.ts'

/** Bytes that are decoded between two turns of the event loop: about a millisecond. */
const perTurn = 1024 * 1024

/** The text of a large file, with turns for others in between. What is no UTF-8 becomes U+FFFD. */
export async function decodeText({ clock }: Pick<Context, 'clock'>, bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += perTurn) {
    parts.push(decoder.decode(bytes.subarray(at, at + perTurn), { stream: true }))
    await clock.after(0)
  }
  parts.push(decoder.decode())
  return parts.join('')
}
