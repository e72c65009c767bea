import { z } from 'zod'
import { createKey, revokeKey, rotateKey } from '../../runtime/auth/keys.ts'
import { IssuedKey, KeyEntry, NewKey } from '../../runtime/auth/schema.ts'
import { listKeys } from '../../runtime/auth/store.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint('GET /api/auth/keys', {
  summary: 'List API keys without their secrets',
  access: 'admin',
  returns: z.object({ keys: z.array(KeyEntry), count: z.int() }),
  async run(_, context) {
    const keys = await listKeys(context)
    return { keys, count: keys.length }
  },
})

export const create = endpoint('POST /api/auth/keys', {
  summary: 'Create an API key, shown only in this response',
  access: 'admin',
  body: NewKey,
  returns: IssuedKey,
  status: 201,
  run: ({ body }, context) => createKey(context, body),
})

export const rotate = endpoint('POST /api/auth/keys/{id}/rotate', {
  summary: 'Rotate a key; the old secret becomes invalid immediately',
  access: 'admin',
  returns: IssuedKey,
  run: ({ params }, context) => rotateKey(context, params.id),
})

export const remove = endpoint('DELETE /api/auth/keys/{id}', {
  summary: 'Revoke a key',
  access: 'admin',
  returns: z.object({ revoked: z.literal(true) }),
  async run({ params }, context) {
    await revokeKey(context, params.id)
    return { revoked: true }
  },
})
