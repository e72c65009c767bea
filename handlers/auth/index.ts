import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as audit from './audit.ts'
import * as bootstrap from './bootstrap.ts'
import * as keys from './keys.ts'
import * as session from './session.ts'
import * as setup from './setup.ts'
import * as users from './users.ts'

export const auth: Endpoint[] = [bootstrap, setup, session, keys, users, audit].flatMap((resource) =>
  Object.values(resource),
)
