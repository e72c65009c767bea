import type { Context } from '../../context.ts'
import { DocumentError } from '../../documents/document.ts'
import { parseXml } from '../../documents/xml-object.ts'
import { errorMessage } from '../../thrown.ts'
import { permanentError } from '../node-type.ts'

/** Characters above which a text is read by the reader, because it would keep the whole daemon waiting. */
const long = 256 * 1024

/** An XML text as objects. */
export async function readXml({ reader, signal }: Pick<Context, 'reader' | 'signal'>, text: string): Promise<unknown> {
  const own = text.replace(/^\uFEFF/, '').trim()
  try {
    if (own.length <= long) return parseXml(own)
    const call = { kind: 'xml' as const, bytes: new TextEncoder().encode(own), max_characters: own.length }
    return JSON.parse((await reader.document(call, signal)).text) as unknown
  } catch (thrown) {
    signal.throwIfAborted()
    const isOwn = own.length <= long || thrown instanceof DocumentError
    throw isOwn ? permanentError('invalid_xml', `It is not XML: ${errorMessage(thrown)}`) : thrown
  }
}
