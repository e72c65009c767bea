import { avatarPath, profile } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { Fault, invalidField, notFound } from '../fault.ts'
import { readBytes } from '../http/body.ts'
import { changeSection, readSection } from '../sections/section.ts'

const root = 'avatars'

/** Bytes of an uploaded form with one picture. */
export const avatarLimit = 2 * 1024 * 1024

interface PictureType {
  extension: string
  mime_type: string
  /** First bytes of the file; null is any byte. */
  magic: readonly (number | null)[]
}

const text = (characters: string) => [...characters].map((character) => character.charCodeAt(0))

/** Raster pictures only, recognised by their first bytes: SVG is a document that can run scripts. */
const pictureTypes: readonly PictureType[] = [
  { extension: 'png', mime_type: 'image/png', magic: [0x89, ...text('PNG\r\n'), 0x1a, 0x0a] },
  { extension: 'jpg', mime_type: 'image/jpeg', magic: [0xff, 0xd8, 0xff] },
  { extension: 'gif', mime_type: 'image/gif', magic: text('GIF8') },
  {
    extension: 'webp',
    mime_type: 'image/webp',
    magic: [...text('RIFF'), null, null, null, null, ...text('WEBP')],
  },
]

/** The first file of a multipart form, under any field name. */
export async function readUpload(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new Fault(415, 'unsupported_media_type', 'Send the picture as multipart/form-data')
  }
  const bytes = await readBytes(request, avatarLimit)
  const form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } }).formData().catch(() => null)
  if (!form) throw new Fault(400, 'bad_request', 'The body is not valid multipart/form-data')
  const file = [...form.values()].find((value) => typeof value !== 'string')
  if (!file) throw invalidField('file', 'a picture is required')
  return new Uint8Array(await file.arrayBuffer())
}

/** Stores a picture under a generated name, sets it as avatar, and deletes the previous one. */
export async function setAvatar(context: Context, bytes: Uint8Array): Promise<string> {
  const type = pictureTypes.find(({ magic }) => magic.every((byte, index) => byte === null || bytes[index] === byte))
  if (!type) throw invalidField('file', 'must be a PNG, JPEG, GIF or WebP picture')
  const name = `${context.secrets.random(16)}.${type.extension}`
  const { avatar_url: previous } = await readSection(context, profile)
  await context.files.write(root, name, bytes)
  await changeSection(context, profile, { avatar_url: avatarPath + name })
  if (previous?.startsWith(avatarPath))
    await context.files.remove(root, previous.slice(avatarPath.length)).catch(() => false)
  return avatarPath + name
}

/** A stored avatar; a 404 for any name that was not generated here. */
export async function readAvatar(context: Context, name: string): Promise<{ bytes: Uint8Array; mime_type: string }> {
  const [, extension] = /^[0-9a-f]{32}\.(\w+)$/.exec(name) ?? []
  const type = pictureTypes.find((candidate) => candidate.extension === extension)
  const bytes = type ? await context.files.read(root, name) : null
  if (!type || !bytes) throw notFound('The avatar')
  return { bytes, mime_type: type.mime_type }
}
