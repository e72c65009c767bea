/** The door of sandbox: what its neighbours may use. */

// Containers by their rules.
export { addContainer, removeContainer, requireContainer } from './containers.ts'
// The engine that runs containers here.
export { chooseEngine, sandboxStatus } from './engine.ts'
// The result of a command.
export { commandResult } from './run.ts'
// The settings of sandboxes, and the wire format of containers.
export { NewContainer, sandboxConfig } from './schema.ts'
