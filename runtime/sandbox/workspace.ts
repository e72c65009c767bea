import { badRequest, notFound, payloadTooLarge } from '../fault.ts'
import { download } from '../files/index.ts'
import type { Host } from '../host.ts'
import { type FileEntry, PathRefused } from '../ports/files.ts'

/** Files that are counted; a workspace with more is over its limit. */
const maxEntries = 100_000
/** Bytes of one upload. */
export const maxUpload = 100 * 1024 * 1024

type Owner = Pick<Host, 'sandbox'>

export const listWorkspace = ({ sandbox }: Owner, id: string, folder: string): Promise<FileEntry[]> =>
  refusing(() => sandbox.files.list(id, folder))

/** A file as a download that a browser never runs. */
export const workspaceFile = ({ sandbox }: Owner, id: string, path: string): Promise<Response> =>
  refusing(async () => {
    const entry = await sandbox.files.stat(id, path)
    const stream = entry?.kind === 'file' ? await sandbox.files.readStream(id, path) : null
    if (!entry || !stream) throw notFound(`The file ${path}`)
    return download(stream, { name: path.slice(path.lastIndexOf('/') + 1) })
  })

export const writeWorkspaceFile = (
  { sandbox }: Owner,
  id: string,
  { path, body }: { path: string; body: ReadableStream<Uint8Array> | null },
): Promise<FileEntry> =>
  refusing(async () => {
    await sandbox.files.writeStream(id, path, limited(body))
    const entry = await sandbox.files.stat(id, path)
    if (!entry) throw notFound(`The file ${path}`)
    return entry
  })

async function* limited(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.byteLength
    if (size > maxUpload) throw payloadTooLarge(maxUpload)
    yield piece
  }
}

export const removeWorkspaceFile = ({ sandbox }: Owner, id: string, path: string): Promise<boolean> =>
  refusing(() => sandbox.files.remove(id, path))

async function refusing<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof PathRefused)
      throw badRequest(`path is refused: ${thrown.message}; it must stay inside the workspace`)
    throw thrown
  }
}

/** Bytes on the disk, or `Infinity` if they cannot be counted. */
export const workspaceBytes = async ({ sandbox }: Owner, id: string): Promise<number> =>
  (await sandbox.files.size(id, maxEntries)) ?? Number.POSITIVE_INFINITY

export const removeWorkspace = ({ sandbox }: Owner, id: string): Promise<void> => sandbox.files.removeRoot(id)
