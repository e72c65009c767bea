import { localContext } from '../auth/local.ts'
import { actingFor, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import type { Retained } from '../retention.ts'
import { once } from '../streams.ts'
import { iso } from '../time.ts'
import { blobPath, downloadedBytes, pendingPath, root, settle } from './blobs.ts'
import type { StoredFile } from './schema.ts'
import { filesState } from './state.ts'
import { countSame, deleteFile, filesCreatedBefore, filesSize, findFile, insertFile } from './store.ts'
import { type Incoming, quotaReached, type Upload, withIncoming } from './upload.ts'

export const requireFile = required('file', findFile)

/** What the commit of a new file does besides. */
interface Besides {
  statements?: (file: StoredFile) => Statement[]
  /** Announce it as an upload. Default: true. */
  announced?: boolean
}

/** Stores an upload. Equal contents are stored once. */
export function storeUpload(context: Context, upload: Upload, besides: Besides = {}): Promise<StoredFile> {
  const { sha256 } = upload
  return filesState(context).contents.run(sha256, async () => {
    const isNew = (await countSame(context, sha256)) === 0
    const file = draftFile(context, upload)
    await context.files.move(root, upload.temporary, pendingPath(sha256))
    try {
      await insert(context, file, besides)
    } finally {
      await settle(context, sha256)
    }
    if (isNew) upload.share.keep()
    return file
  })
}

/** Stores bytes that a tool has made, within the same limits as an upload. */
export const storeBytes = (
  context: Context,
  { bytes, ...file }: Omit<Incoming, 'pieces'> & { bytes: Uint8Array },
): Promise<StoredFile> => storeIncoming(context, { ...file, pieces: once(bytes) })

/** Stores a file as its pieces arrive, within the same limits as an upload. */
export const storeIncoming = (context: Context, file: Incoming, besides?: Besides): Promise<StoredFile> =>
  withIncoming(context, file, (upload) => storeUpload(context, upload, besides))

/** The content of a file as it is read; null if it is missing. */
export const openContent = (context: Context, { sha256 }: StoredFile): Promise<ReadableStream<Uint8Array> | null> =>
  context.files.readStream(root, blobPath(sha256))

function draftFile(context: Context, upload: Upload): StoredFile {
  const { name, mime_type, size_bytes, sha256, purpose } = upload
  const now = context.clock.now()
  const id = newId('file', now)
  const download_url = `/api/files/${id}/content`
  return { id, name, mime_type, size_bytes, sha256, purpose, created_at: iso(now), download_url }
}

async function insert(context: Context, file: StoredFile, { statements, announced = true }: Besides): Promise<void> {
  const { id, name, mime_type, size_bytes } = file
  const { files_quota } = context.config
  const uploaded = event('file.uploaded', { file_id: id, name, mime_type, size_bytes })
  try {
    await context.commit(
      [
        insertFile(ownerOf(context), file, files_quota - (await downloadedBytes(context))),
        ...(statements?.(file) ?? []),
      ],
      announced ? [uploaded] : [],
      { answer: file },
    )
  } catch (thrown) {
    throw thrown instanceof GuardFailed ? quotaReached(files_quota) : thrown
  }
}

/** Removes a file, and its content with the last file that uses it. Messages keep its id. */
export async function removeFile(context: Context, id: string): Promise<void> {
  const { sha256, size_bytes } = await requireFile(context, id)
  await filesState(context).contents.run(sha256, async () => {
    const isLast = (await countSame(context, sha256)) === 1
    if (isLast) await context.files.move(root, blobPath(sha256), pendingPath(sha256))
    try {
      await context.commit([deleteFile(id)], [{ type: 'file.deleted', data: { file_id: id } }])
    } catch (thrown) {
      throw thrown instanceof GuardFailed ? notFound(`The file ${id}`) : thrown
    } finally {
      if (isLast) await settle(context, sha256)
    }
    if (isLast) filesState(context).meter.free(size_bytes)
  })
}

/** Uploaded files of all users. */
export const retainedFiles: Retained = {
  size: filesSize,
  async prune(host, before, limit) {
    const files = await filesCreatedBefore(host, before, limit)
    for (const { id, owner_id } of files) await removeFile(actingFor(localContext(host), owner_id), id)
    return files.length
  },
}
