import { z } from 'zod'
import { NewUser, PasswordChange, User, UserChange } from '../../runtime/auth/schema.ts'
import { listUsers } from '../../runtime/auth/user-store.ts'
import { changeOwnPassword, changeUser, registerUser, removeUser } from '../../runtime/auth/users.ts'
import { listing } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { removal } from '../../runtime/http/removal.ts'

export const list = listing({
  path: '/api/auth/users',
  summary: 'List users',
  access: 'admin',
  items: 'users',
  item: User,
  rows: listUsers,
})

export const create = endpoint('POST /api/auth/register', {
  summary: 'Create a user',
  access: 'admin',
  body: NewUser,
  returns: User,
  status: 201,
  run: ({ body }, context) => registerUser(context, body),
})

export const update = endpoint('PUT /api/auth/users/{id}', {
  summary: 'Update the role, display name or password of a user',
  access: 'admin',
  body: UserChange,
  returns: User,
  run: ({ params, body }, context) => changeUser(context, params.id, body),
})

export const remove = removal({
  path: '/api/auth/users/{id}',
  summary: 'Remove a user with all keys and sessions',
  access: 'admin',
  remove: removeUser,
})

export const password = endpoint('POST /api/auth/password', {
  owner: 'none',
  summary: 'Change your own password and end your other sessions',
  idempotent: false,
  body: PasswordChange,
  returns: z.object({ changed: z.literal(true) }),
  async run({ body }, context) {
    await changeOwnPassword(context, body)
    return { changed: true }
  },
})
