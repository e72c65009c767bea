/** The door of credentials: what its neighbours may use. */

// The database that a credential is for.
export { databaseOf } from './database.ts'
// Sending a request with a credential, signing with its secret, and removing stored secrets from what comes back.
export { fetchWith, secretOf, withoutSecrets } from './use.ts'
// Requests that arrive with a credential.
export { isCheckable, verified } from './verify.ts'
