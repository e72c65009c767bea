/** Work that takes in a stored message: policy, binding, session, turn. Its subject is the message. */
export const inboundKind = 'channels.inbound'
/** Work that sends what waits for one chat, in order. Its subject is the lane. */
export const sendKind = 'channels.send'
/** Work that shows on the platform that an answer is being written. Its subject is the answer. */
export const typingKind = 'channels.typing'
/** Work that fetches the new messages of a platform that does not call us. Its subject is the channel. */
export const pollKind = 'channels.poll'
