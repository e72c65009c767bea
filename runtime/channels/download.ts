import type { FilePart } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { conflict, payloadTooLarge } from '../fault.ts'
import { storeBytes } from '../files/index.ts'
import { readBytes } from '../http/body.ts'
import { ModelError } from '../ports/models.ts'
import { mayPass } from '../providers/index.ts'
import { errorMessage } from '../thrown.ts'
import { second } from '../time.ts'
import { within } from '../within.ts'
import { Stopping } from '../work/run.ts'
import type { StoredChannel } from './channel-store.ts'
import { connect } from './connection.ts'
import { type InboundFile, SendFailed } from './platform.ts'

/** Time limit for downloading one file, in milliseconds. */
const downloadLimit = 120 * second

/** The bytes of a file of a message. */
export async function bytesOf(context: Context, channel: StoredChannel, file: InboundFile): Promise<Uint8Array> {
  const { platform, connection } = await connect(context, channel)
  const limit = context.config.upload_limit
  if (!platform.download) throw conflict(`${platform.title} does not offer files`)
  if ((file.size_bytes ?? 0) > limit) throw payloadTooLarge(limit)
  const { download } = platform
  return within(context, { milliseconds: downloadLimit }, async (signal) =>
    readBytes(await download(file, connection, { ...context, signal }), limit),
  )
}

/** Whether another attempt may succeed without anybody doing anything. */
const isPassing = (thrown: unknown): boolean =>
  thrown instanceof ModelError ? mayPass(thrown) : thrown instanceof SendFailed && !thrown.is_permanent

/** Throws what ends this attempt: the daemon stops, or the next attempt may succeed. */
export function throwIfPassing({ signal }: Context, thrown: unknown, retries: boolean): void {
  if (signal.reason instanceof Stopping || (retries && isPassing(thrown))) throw thrown
}

/** Stores a file of a message. Returns a sentence if that failed; `retries`: what may pass is thrown. */
export async function downloadFile(
  context: Context,
  channel: StoredChannel,
  { file, retries }: { file: InboundFile; retries: boolean },
): Promise<FilePart | string> {
  try {
    const bytes = await bytesOf(context, channel, file)
    const stored = await storeBytes(context, { name: file.name, bytes, purpose: 'channel' })
    const { id: file_id, name, mime_type, size_bytes } = stored
    return { type: 'file', file_id, name, mime_type, size_bytes }
  } catch (thrown) {
    throwIfPassing(context, thrown, retries)
    const reason = errorMessage(thrown)
    context.log.write('info', 'cannot download a file of a channel message', {
      channel: channel.id,
      cause: reason,
    })
    return `The file ${file.name.slice(0, 200)} was not received: ${reason.slice(0, 200)}`
  }
}
