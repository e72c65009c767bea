import { credentials } from '../../runtime/credentials/credentials.ts'
import { Authorization, Authorized, beginAuthorization, endAuthorization } from '../../runtime/credentials/oauth.ts'
import { TestRequest, testCredential } from '../../runtime/credentials/test.ts'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const { list, create, show, update, remove } = endpointsOf(credentials)

export const test = verbOf(credentials, 'test', {
  summary: 'Use a credential once, and store whether it works',
  body: TestRequest,
  body_optional: true,
  acts_outside: true,
  run: testCredential,
})

export const authorize = endpoint('POST /api/credentials/{id}/authorize', {
  summary: 'Begin the authorization of an OAuth 2 credential: the page to which the person has to go',
  returns: Authorization,
  idempotent: false,
  run: ({ params, request }, context) => beginAuthorization(context, params.id, new URL(request.url).origin),
})

export const authorized = verbOf(credentials, 'authorized', {
  summary: 'End the authorization with the code and state that the service has returned',
  body: Authorized,
  acts_outside: true,
  run: endAuthorization,
})
