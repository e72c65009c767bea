/** The door of channels: what its neighbours may use. */

// The settings of channels, and the address at which platforms reach the daemon.
export { changeAddress } from './change-address.ts'
// Channels as rows.
export { findChannel, findOwnChannel } from './channel-store.ts'
// Queueing a message on a channel.
export { type ChannelMessage, channelMessage, sendToChannel } from './send.ts'
export { channelNotifications, channelSettings, publicUrl } from './settings.ts'
