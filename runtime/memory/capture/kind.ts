/** Kind of the work that makes an episode of an exchange. Its subject is the message of the answer. */
export const captureKind = 'memory.capture'
