/** The door of browser: what its neighbours may use. */

// Credentials of websites that ask by HTTP.
export { browserCredentials, changeCredentials } from './http-credentials.ts'
// Replaying a recording and waiting for its end.
export { awaitReplay, hasEnded, startReplay } from './recordings/replay.ts'
// Recordings as rows.
export { findRecording } from './recordings/store.ts'
// The settings of the browser.
export { browserConfig, browserEmulation, browserProfile, changeConfig } from './settings.ts'
// Changing how the browser appears to pages.
export { changeProfile, emulateDevice } from './use.ts'
