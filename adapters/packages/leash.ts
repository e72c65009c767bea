import type { Socket } from 'node:net'

/**
 * Loaded into the package manager before itself. Its input is a pipe that the daemon holds and never writes to: when
 * the daemon dies, however hard, the pipe ends and nobody goes on writing into the data folder.
 */
process.stdin.once('close', () => process.exit(1))
process.stdin.resume()
;(process.stdin as unknown as Socket).unref()
