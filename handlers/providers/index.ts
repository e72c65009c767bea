import * as backup from './backup.ts'
import * as providers_ from './providers.ts'

/** Fixed paths come before those with an id, which would match them. */
export const providers = [...Object.values(backup), ...Object.values(providers_)]
