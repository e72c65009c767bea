import { NewAdmin, SetupResult } from '../../runtime/auth/schema.ts'
import { setUp } from '../../runtime/auth/setup.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const admin = endpoint({
  method: 'POST',
  path: '/api/setup/admin',
  summary: 'Create the first user, key and session, which ends bootstrap mode',
  access: 'setup',
  body: NewAdmin,
  returns: SetupResult,
  status: 201,
  async run({ body }, context) {
    return Response.json(await setUp(context, body), { status: 201 })
  },
})
