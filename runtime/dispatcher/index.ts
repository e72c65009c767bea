/** The door of dispatcher: what its neighbours may use. */

// Changing the dispatcher's settings.
export { changeDispatcherSettings } from './change-settings.ts'
// What a message in a conversation asks for.
export { decideInConversation } from './dispatch.ts'
// The dispatcher's settings.
export { dispatcherSettings } from './schema.ts'
