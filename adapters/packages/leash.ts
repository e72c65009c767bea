import type { Socket } from 'node:net'

/**
 * Preloaded into npm. Its input is a pipe that the daemon keeps open and never writes to: when the daemon dies, the pipe
 * closes and npm stops writing to the data folder.
 */
process.stdin.once('close', () => process.exit(1))
process.stdin.resume()
;(process.stdin as unknown as Socket).unref()
