/** Work that processes a stored message: policy, binding, session, turn. Its subject is the message. */
export const inboundKind = 'channels.inbound'
/** Work that sends the queued messages of one chat, in order. Its subject is the lane. */
export const sendKind = 'channels.send'
/** Work that shows how far an answer is. Its subject is the answer. */
export const progressKind = 'channels.progress'
/** Work that keeps a connection to a platform open. Its subject is the channel. */
export const listenKind = 'channels.listen'
/** Purpose of the sealed credentials. */
export const credentialsPurpose = 'channel credentials'
