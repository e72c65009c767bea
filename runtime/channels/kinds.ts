/** Work that processes a stored message: policy, binding, session, turn. Its subject is the message. */
export const inboundKind = 'channels.inbound'
/** Work that sends the queued messages of one chat, in order. Its subject is the lane. */
export const sendKind = 'channels.send'
/** Work that shows the typing indicator. Its subject is the answer. */
export const typingKind = 'channels.typing'
/** Work that keeps a connection to a platform open. Its subject is the channel. */
export const listenKind = 'channels.listen'
/** Work that polls a platform for new messages. Its subject is the channel. */
export const pollKind = 'channels.poll'
