import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { create, show } from '../../handlers/settings/avatar.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { avatarLimit } from '../../runtime/settings/avatar.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

const { show: profile, update } = sections.profile

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const gif = new TextEncoder().encode('GIF89a and more')
const webp = new TextEncoder().encode('RIFF\u0001\u0002\u0003\u0004WEBPVP8 ')
const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2])

async function upload(host: MemoryHost, bytes: Uint8Array, name = 'me.png', field = 'file') {
  const form = new FormData()
  form.append(field, new File([bytes as BlobPart], name, { type: 'image/png' }))
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return call(create, host, { body: await encoded.bytes(), headers })
}

const nameOf = (url: string) => url.split('/').at(-1) ?? ''

test.each([
  ['image/png', png],
  ['image/gif', gif],
  ['image/webp', webp],
  ['image/jpeg', jpeg],
])('an %s comes back as it was, and runs nothing', async (mime_type, bytes) => {
  const host = await testHost()
  const response = await upload(host, bytes, '../../../../etc/passwd')
  expect(response.status).toBe(200)
  const { avatar_url } = (await response.json()) as { avatar_url: string }
  expect(avatar_url).toMatch(/^\/api\/settings\/avatar\/[0-9a-f]{32}\.(png|gif|webp|jpg)$/)
  expect(await (await call(profile, host)).json()).toMatchObject({ avatar_url })

  const picture = await call(show, host, { params: { name: nameOf(avatar_url) } })
  expect(new Uint8Array(await picture.arrayBuffer())).toEqual(bytes)
  expect(Object.fromEntries(picture.headers)).toMatchObject({
    'content-type': mime_type,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'content-disposition': 'attachment',
  })
})

test('a new picture replaces the old one', async () => {
  const host = await testHost()
  const first = (await (await upload(host, png)).json()) as { avatar_url: string }
  const second = (await (await upload(host, gif, 'x', 'avatar')).json()) as { avatar_url: string }
  expect((await call(show, host, { params: { name: nameOf(first.avatar_url) } })).status).toBe(404)
  expect((await call(show, host, { params: { name: nameOf(second.avatar_url) } })).status).toBe(200)
})

test('the picture can be removed from the profile', async () => {
  const host = await testHost()
  await upload(host, png)
  expect(await (await call(update, host, { body: { avatar_url: null } })).json()).toMatchObject({
    avatar_url: null,
  })
})

test.each([
  ['a drawing that could run scripts', new TextEncoder().encode('<svg onload="alert(1)"/>')],
  ['a page', new TextEncoder().encode('<!doctype html><script>alert(1)</script>')],
  ['nothing', new Uint8Array()],
  ['the first half of a mark', png.slice(0, 4)],
])('refuses %s, whatever it calls itself', async (_, bytes) => {
  const host = await testHost()
  const response = await upload(host, bytes)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ issues: [{ path: 'file' }] })
  expect(await host.files.list('avatars')).toEqual([])
})

test('refuses a body that is not a form, a broken form, a form without a file, and one that is too large', async () => {
  const host = await testHost()
  expect((await call(create, host, { body: { file: 'x' } })).status).toBe(415)
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  expect((await call(create, host, { body: 'no boundary here', headers })).status).toBe(400)
  const form = new FormData()
  form.append('file', 'text')
  expect((await call(create, host, { body: form })).status).toBe(422)
  const large = new Uint8Array(avatarLimit + 1)
  large.set(png)
  expect((await upload(host, large)).status).toBe(413)
})

test.each(['../profile.png', '..%2f..%2fetc%2fpasswd', `${'0'.repeat(32)}.svg`, `${'0'.repeat(32)}.png/..`, 'nul', ''])(
  'the name "%s" names nothing',
  async (name) => {
    expect((await call(show, await testHost(), { params: { name } })).status).toBe(404)
  },
)
