/** The door of credentials: what its neighbours may use. */

// Sending a request with a credential, and removing stored secrets from what comes back.
export { fetchWith, withoutSecrets } from './use.ts'
