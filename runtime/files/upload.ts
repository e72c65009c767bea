import type { Context } from '../context.ts'
import { Fault, invalidField, payloadTooLarge } from '../fault.ts'
import { incoming, root, usedBytes } from './blobs.ts'
import { type FormPart, readForm } from './multipart.ts'
import { cleanName } from './name.ts'
import { Purpose } from './schema.ts'
import { Sniffer } from './sniff.ts'
import { filesState, type Share } from './state.ts'

/** A received file that is not stored yet. */
export interface Upload {
  /** Its path in the files port. */
  temporary: string
  name: string
  mime_type: string
  size_bytes: number
  sha256: string
  purpose: string
  share: Share
}

/** Bytes of the form besides the file. */
const formBytes = 64 * 1024
/** Bytes of a field. */
const maxField = 1024

/** A file as its pieces arrive. */
export interface Incoming {
  name: string
  purpose: string
  pieces: AsyncIterable<Uint8Array>
}

/**
 * Streams the file of a form to a temporary path and passes it to `use`. Anything that `use` leaves there is
 * removed afterwards.
 */
export const withUpload = <Result>(
  context: Context,
  request: Request,
  use: (upload: Upload) => Promise<Result>,
): Promise<Result> => withPlace(context, async (place) => use(await receive(context, request, place)))

/** As `withUpload`, for a file that is no form. */
export const withIncoming = <Result>(
  context: Context,
  { name, purpose, pieces }: Incoming,
  use: (upload: Upload) => Promise<Result>,
): Promise<Result> =>
  withPlace(context, async (place) => use({ ...(await receiveFile(context, { name, pieces }, place)), purpose }))

async function withPlace<Result>(context: Context, run: (place: Place) => Promise<Result>): Promise<Result> {
  const { meter } = filesState(context)
  const share = await meter.open(() => usedBytes(context))
  const temporary = `${incoming}/${context.secrets.random(16)}`
  try {
    return await run({ temporary, share })
  } finally {
    await context.files.remove(root, temporary)
    share.close()
  }
}

type Place = Pick<Upload, 'temporary' | 'share'>
type Received = Omit<Upload, 'purpose'>

async function receive(context: Context, request: Request, place: Place): Promise<Upload> {
  let file: Received | undefined
  let purpose = 'general'
  for await (const part of readForm(request, context.config.upload_limit + formBytes)) {
    if (part.name === 'purpose' && part.filename === undefined) purpose = readPurpose(await fieldText(part))
    if (part.name !== 'file') continue
    if (file) throw invalidField('file', 'send one file per request')
    if (part.filename === undefined) throw invalidField('file', 'must be a file with a name')
    file = await receiveFile(context, { name: part.filename, pieces: part.bytes }, place)
  }
  if (!file) throw invalidField('file', 'a file is needed')
  return { ...file, purpose }
}

async function receiveFile(
  context: Context,
  { name: own, pieces }: Pick<Incoming, 'name' | 'pieces'>,
  place: Place,
): Promise<Received> {
  const name = cleanName(own)
  const sniffer = new Sniffer()
  const counted = measured(context, pieces, { sniffer, share: place.share })
  const written = await context.files.writeStream(root, place.temporary, counted)
  return { ...place, ...written, name, mime_type: await sniffer.type(name) }
}

/**
 * Passes the pieces on, detects their type, and refuses them when they exceed the limit of a file or the
 * quota.
 */
async function* measured(
  context: Context,
  pieces: AsyncIterable<Uint8Array>,
  { sniffer, share }: { sniffer: Sniffer; share: Share },
): AsyncGenerator<Uint8Array> {
  const { upload_limit, files_quota } = context.config
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > upload_limit) throw payloadTooLarge(upload_limit)
    if (!share.take(piece.length, files_quota)) throw quotaReached(files_quota)
    sniffer.take(piece)
    yield piece
  }
}

export const quotaReached = (quota: number) =>
  new Fault(
    413,
    'payload_too_large',
    `All files together may take ${quota} bytes, and this one does not fit: delete some, or raise SERVICE_FILES_QUOTA`,
  )

function readPurpose(text: string): string {
  const result = Purpose.safeParse(text)
  if (result.success) return result.data
  throw invalidField('purpose', result.error.issues[0]?.message ?? 'is not valid')
}

async function fieldText(part: FormPart): Promise<string> {
  const pieces: BlobPart[] = []
  let size = 0
  for await (const piece of part.bytes) {
    size += piece.length
    if (size > maxField) throw invalidField(part.name, `must be at most ${maxField} bytes`)
    pieces.push(piece.slice())
  }
  return new Blob(pieces).text()
}
