import * as audit from './audit.ts'
import * as invitations from './invitations.ts'
import * as keys from './keys.ts'
import * as session from './session.ts'
import * as setup from './setup.ts'
import * as users from './users.ts'

export const auth = [
  ...Object.values(setup),
  ...Object.values(session),
  ...Object.values(keys),
  ...Object.values(users),
  ...Object.values(invitations),
  ...Object.values(audit),
]
