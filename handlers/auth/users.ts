import { z } from 'zod'
import { NewUser, PasswordChange, User, UserChange } from '../../runtime/auth/schema.ts'
import { listUsers } from '../../runtime/auth/user-store.ts'
import { changeOwnPassword, changeUser, registerUser, removeUser } from '../../runtime/auth/users.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/auth/users',
  summary: 'List users',
  access: 'admin',
  query: pageQuery(),
  returns: listOf('users', User),
  async run({ query }, context) {
    return { ...(await listUsers(context, query)), ...query }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/auth/register',
  summary: 'Create a user',
  access: 'admin',
  body: NewUser,
  returns: User,
  status: 201,
  async run({ body }, context) {
    return registerUser(context, body)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/auth/users/{id}',
  summary: 'Update the role, display name or password of a user',
  access: 'admin',
  body: UserChange,
  returns: User,
  async run({ params, body }, context) {
    return changeUser(context, params.id, body)
  },
})

export const remove = removal({
  path: '/api/auth/users/{id}',
  summary: 'Remove a user with all keys and sessions',
  access: 'admin',
  remove: removeUser,
})

export const password = endpoint({
  method: 'POST',
  path: '/api/auth/password',
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
