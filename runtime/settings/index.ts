/** The door of settings: what its neighbours may use. */

// Mail from the owner's own server.
export { emailSettings, mailServer, sendEmail } from './email.ts'
// The strategy of new projects.
export { strategySettings } from './strategy.ts'
