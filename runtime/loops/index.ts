/** The door of loops: what its neighbours may use. */

// Loops as rows.
export { findOwnLoop, loopNames } from './loop-store.ts'
