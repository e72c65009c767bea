/** The door of devices: what its neighbours may use. */

// Sending a command to a device, and how it ended.
export { commandEnd, sendCommand } from './commands.ts'
// Devices as rows.
export { countOffline, devicesOfOwner, findOwnDevice } from './device-store.ts'
// Pairing a device with a code.
export { pairDevice } from './pairing.ts'
// The wire format of pairing and commands.
export { DeviceToken, NewCommand, PairRequest } from './schema.ts'
