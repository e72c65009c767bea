import { Parser } from 'htmlparser2'
import { DocumentError } from './document.ts'

/** Bytes given to the parser at once. */
const chunk = 64 * 1024
/** No real document is nested this deeply; the parser would need quadratic time. */
const maxDepth = 1_000

/** The names of elements come without their namespace prefix. */
export interface XmlHandler {
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
  /** Ends the reading early. */
  done?(): boolean
}

/** Parses one part of a document. No entity but XML's own five is expanded. Throws `DocumentError`. */
export async function readXml(
  bytes: Uint8Array | undefined,
  handler: XmlHandler,
  pause: () => Promise<void>,
): Promise<void> {
  if (!bytes) return
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        depth += 1
        if (depth > maxDepth) throw new DocumentError('its content is nested too deeply')
        handler.open?.(bare(name), attributes)
      },
      ontext: (text) => handler.text?.(text),
      onclosetag(name) {
        depth -= 1
        handler.close?.(bare(name))
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  // UTF-16 has a byte order mark; everything else that office programs write is UTF-8.
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8'
  const decoder = new TextDecoder(encoding)
  for (let at = 0; at < bytes.length && !handler.done?.(); at += chunk) {
    await pause()
    parser.write(decoder.decode(bytes.subarray(at, at + chunk), { stream: true }))
  }
}

const bare = (name: string): string => name.slice(name.indexOf(':') + 1)

/** An attribute by its name without prefix, or by the name with it. */
export function attribute(attributes: Record<string, string>, name: string): string | undefined {
  const key = Object.keys(attributes).find((one) => one === name || bare(one) === name)
  return key === undefined ? undefined : attributes[key]
}
