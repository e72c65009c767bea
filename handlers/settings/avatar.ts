import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { avatarLimit, readAvatar, readUpload, setAvatar } from '../../runtime/settings/avatar.ts'

export const create = endpoint('POST /api/settings/avatar', {
  summary: 'Upload a picture and set it as avatar',
  body_kind: 'form',
  body_limit: avatarLimit,
  idempotent: false,
  returns: z.object({ avatar_url: z.string() }),
  run: async ({ request }, context) => ({ avatar_url: await setAvatar(context, await readUpload(request)) }),
})

export const show = endpoint('GET /api/settings/avatar/{name}', {
  owner: 'none',
  summary: 'Download an uploaded avatar',
  returns: file('image/*'),
  async run({ params }, context) {
    const { bytes, mime_type } = await readAvatar(context, params.name)
    const headers = {
      'content-type': mime_type,
      // A browser that opens the file runs nothing in it, whatever it contains.
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment',
      // A new picture has a new name.
      'cache-control': 'private, max-age=31536000, immutable',
    }
    return new Response(bytes as BodyInit, { headers })
  },
})
