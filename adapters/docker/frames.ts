import { type CommandOutput, SandboxError } from '../../runtime/ports/sandbox.ts'

const headerBytes = 8
/** Far more than engines send at once. */
const maxFrame = 16 * 1024 * 1024

/**
 * Output in frames: a byte for the stream, three that are zero, and the length of the content.
 * https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach
 */
export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<CommandOutput, void> {
  let left: Buffer = Buffer.alloc(0)
  for await (const piece of stream) {
    left = left.length === 0 ? piece : Buffer.concat([left, piece])
    while (left.length >= headerBytes) {
      const length = left.readUInt32BE(4)
      if (length > maxFrame) throw new SandboxError('The engine sent an invalid frame')
      if (left.length < headerBytes + length) break
      const bytes = left.subarray(headerBytes, headerBytes + length)
      if (length > 0) yield { stream: left[0] === 2 ? 'stderr' : 'stdout', bytes }
      left = left.subarray(headerBytes + length)
    }
  }
}
