import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { avatarLimit, readAvatar, readUpload, setAvatar } from '../../runtime/settings/avatar.ts'

export const create = endpoint({
  method: 'POST',
  path: '/api/settings/avatar',
  summary: 'Upload a picture and make it the avatar',
  body_kind: 'form',
  body_limit: avatarLimit,
  idempotent: false,
  returns: z.object({ avatar_url: z.string() }),
  async run({ request }, context) {
    return { avatar_url: await setAvatar(context, await readUpload(request)) }
  },
})

/** Whatever the bytes turn out to be, a browser that opens them runs nothing. */
const inert = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'content-disposition': 'attachment',
}

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/avatar/{name}',
  summary: 'Read an uploaded avatar',
  returns: file('image/*'),
  async run({ params }, context) {
    const { bytes, mime_type } = await readAvatar(context, params.name)
    // A new picture has a new name, so this one may be kept for good.
    const headers = {
      ...inert,
      'content-type': mime_type,
      'cache-control': 'private, max-age=31536000, immutable',
    }
    return new Response(bytes as BodyInit, { headers })
  },
})
