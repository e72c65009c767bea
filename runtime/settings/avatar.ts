import type { Context } from '../context.ts'
import { Fault, invalidField, notFound } from '../fault.ts'
import { readBytes } from '../http/body.ts'
import { avatarPath, profile } from './profile.ts'
import { changeSection, readSection } from './section.ts'

const root = 'avatars'

/** Bytes of one picture; the form around it may add a little. */
export const avatarLimit = 2 * 1024 * 1024

export interface Picture {
  bytes: Uint8Array
  mime_type: string
}

interface Kind {
  extension: string
  mime_type: string
  /** First bytes of the file; null is any byte. */
  magic: readonly (number | null)[]
}

const text = (characters: string) => [...characters].map((character) => character.charCodeAt(0))

/** Raster pictures alone, known by their first bytes: SVG is a document that runs scripts. */
const kinds: readonly Kind[] = [
  { extension: 'png', mime_type: 'image/png', magic: [0x89, ...text('PNG\r\n'), 0x1a, 0x0a] },
  { extension: 'jpg', mime_type: 'image/jpeg', magic: [0xff, 0xd8, 0xff] },
  { extension: 'gif', mime_type: 'image/gif', magic: text('GIF8') },
  {
    extension: 'webp',
    mime_type: 'image/webp',
    magic: [...text('RIFF'), null, null, null, null, ...text('WEBP')],
  },
]

/** Reads the first file of a multipart form, whatever its field is called. */
export async function readUpload(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new Fault(415, 'unsupported_media_type', 'Send the picture as multipart/form-data')
  }
  const bytes = await readBytes(request, avatarLimit)
  const form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } })
    .formData()
    .catch(() => null)
  if (!form) throw new Fault(400, 'bad_request', 'The body is not valid multipart/form-data')
  const file = [...form.values()].find((value) => typeof value !== 'string')
  if (!file) throw invalidField('file', 'a picture is needed')
  return new Uint8Array(await file.arrayBuffer())
}

/** Stores a picture under a name of ours, makes it the avatar, and removes the one before. */
export async function setAvatar(context: Context, bytes: Uint8Array): Promise<string> {
  const kind = kinds.find(({ magic }) => magic.every((byte, index) => byte === null || bytes[index] === byte))
  if (!kind) throw invalidField('file', 'must be a PNG, JPEG, GIF or WebP picture')
  const name = `${context.secrets.random(16)}.${kind.extension}`
  const { avatar_url: before } = await readSection(context, profile)
  await context.files.write(root, name, bytes)
  await changeSection(context, profile, { avatar_url: avatarPath + name })
  if (before?.startsWith(avatarPath))
    await context.files.remove(root, before.slice(avatarPath.length)).catch(() => false)
  return avatarPath + name
}

/** A stored avatar. Names are only ever ours, so any other form names nothing. */
export async function readAvatar(context: Context, name: string): Promise<Picture> {
  const kind = /^[0-9a-f]{32}\.(\w+)$/.test(name)
    ? kinds.find(({ extension }) => name.endsWith(`.${extension}`))
    : undefined
  const bytes = kind ? await context.files.read(root, name) : null
  if (!kind || !bytes) throw notFound('The avatar')
  return { bytes, mime_type: kind.mime_type }
}
