import { z } from 'zod'
import {
  AuthState,
  AuthStateName,
  keepAuthState,
  listAuthStates,
  removeAuthState,
  restoreAuthState,
} from '../../runtime/browser/auth-states.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted, listOf, pageQuery } from '../../runtime/http/page.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/browser/auth-states',
  summary: 'List saved sessions',
  query: pageQuery(),
  returns: listOf('auth_states', AuthState),
  async run({ query }, context) {
    return { ...(await listAuthStates(context, query)), ...query }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/browser/auth-states',
  summary: 'Save cookies and local storage under a name, in the place of what had the name',
  body: z.object({ name: AuthStateName }),
  returns: AuthState,
  status: 201,
  async run({ body }, context) {
    return keepAuthState(context, body.name)
  },
})

export const restore = endpoint({
  method: 'POST',
  path: '/api/browser/auth-states/{name}/restore',
  summary: 'Replace cookies and local storage by saved ones, and load the open tabs anew',
  returns: AuthState,
  async run({ params }, context) {
    return restoreAuthState(context, params.name)
  },
})

export const remove = endpoint({
  method: 'DELETE',
  path: '/api/browser/auth-states/{name}',
  summary: 'Delete a saved session',
  returns: Deleted,
  async run({ params }, context) {
    await removeAuthState(context, params.name)
    return { deleted: true, id: params.name }
  },
})
