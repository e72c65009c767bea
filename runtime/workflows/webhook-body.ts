import type { Context } from '../context.ts'
import { badRequest } from '../fault.ts'
import { readForm } from '../files/index.ts'
import { piecesWithin, readBytes } from '../http/body.ts'
import { joined } from '../streams.ts'
import { isText, mediaType } from '../tools/receive.ts'
import type { FileValue } from './file-value.ts'
import { storeFile } from './item-files.ts'

/** By name; several values of one name are a list. */
export const fieldsOf = <Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value | Value[]> =>
  Object.fromEntries(
    [...Map.groupBy(entries, ([name]) => name)].map(([name, list]) => {
      const values = list.map(([, value]) => value)
      return [name, values.length === 1 ? (values[0] as Value) : values]
    }),
  )

interface Received {
  body: unknown
  /** By field. */
  files: [name: string, file: FileValue][]
}

/**
 * What the caller of a webhook has sent: JSON, fields, text, or files, which are stored. Refuses more than `limit` bytes
 * while reading.
 */
export async function receivedBody(context: Context, request: Request, limit: number): Promise<Received> {
  const type = mediaType(request.headers)
  if (type === 'multipart/form-data') return receivedForm(context, request, limit)
  if (type === '' || type === 'application/octet-stream' || isText(type, new Uint8Array()))
    return { body: parsed(textOf(await readBytes(request, limit)), type), files: [] }
  const pieces = piecesWithin(request, limit)
  const file = await storeFile({ context, execution: null }, { name: 'data', pieces, mime_type: type })
  return { body: file, files: [['data', file]] }
}

async function receivedForm(context: Context, request: Request, limit: number): Promise<Received> {
  const fields: [string, string | FileValue][] = []
  const files: Received['files'] = []
  for await (const { name, filename, bytes } of readForm(request, limit)) {
    if (filename === undefined) {
      fields.push([name, textOf(await joined(bytes))])
      continue
    }
    // A browser sends an empty part for a field without a file.
    if (filename === '') continue
    const file = await storeFile({ context, execution: null }, { name: filename, pieces: bytes })
    fields.push([name, file])
    files.push([name, file])
  }
  return { body: fieldsOf(fields), files }
}

function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes)
  if (text.includes('\u0000'))
    throw badRequest('The body must not contain NUL characters; send a file with its media type')
  return text
}

function parsed(text: string, type: string): unknown {
  if (type === 'application/x-www-form-urlencoded') return fieldsOf(new URLSearchParams(text))
  try {
    return text === '' ? null : (JSON.parse(text) as unknown)
  } catch {
    return text
  }
}
