import { localContext } from '../auth/local.ts'
import { actingFor, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { findFile as findStored, openContent, removeFile, type StoredFile, storeIncoming } from '../files/index.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import { hour, iso } from '../time.ts'
import type { Value } from './blob-store.ts'
import { dropLinks, hasFile, linkFile, linkFiles, unusedFiles } from './file-store.ts'
import { FileValue, filesIn, firstFile } from './file-value.ts'
import { NodeError, permanentError } from './node-type.ts'

type Place = { context: Context; execution: { id: string } | null }

const unknownType = 'application/octet-stream'

interface NewFile {
  name: string
  pieces: AsyncIterable<Uint8Array>
  /** Default: by the content. */
  mime_type?: string
}

/**
 * Stores a file that an execution has made; it is removed with the last execution that has it. Without an execution, one
 * that starts within an hour has to take it over. A file beyond a limit throws a permanent `NodeError`.
 */
export async function storeFile(
  { context, execution }: Place,
  { name, pieces, mime_type }: NewFile,
): Promise<FileValue> {
  const made = { execution_id: execution?.id ?? '', owner_id: ownerOf(context), created_at: iso(context.clock.now()) }
  try {
    const file = { name, pieces, purpose: 'workflow' }
    const stored = await storeIncoming(context, file, {
      statements: ({ id: file_id }) => [linkFile({ file_id, ...made })],
      announced: false,
    })
    const { id, size_bytes, sha256 } = stored
    return {
      file_id: id,
      name: stored.name,
      mime_type: mime_type && mime_type !== unknownType ? mime_type : stored.mime_type,
      size_bytes,
      sha256,
    }
  } catch (thrown) {
    throw thrown instanceof Fault && thrown.status === 413 ? permanentError('too_large', thrown.message) : thrown
  }
}

/** A file that a workflow of this owner has made or was started with. */
export async function findFile(context: Context, { file_id }: FileValue): Promise<StoredFile> {
  const isOwn = await hasFile(context, ownerOf(context), file_id)
  const file = isOwn && (await findStored(context, file_id))
  if (!file) throw missing(file_id)
  return file
}

const missing = (id: string) =>
  permanentError('no_file', `There is no file ${id} in this workflow; it may have been deleted`)

/** The content of a file as it is read. */
export async function openFile(context: Context, value: FileValue) {
  const file = await findFile(context, value)
  const content = await openContent(context, file)
  if (!content) throw missing(value.file_id)
  return { size_bytes: file.size_bytes, content }
}

/** All bytes of a file, which has at most `max` of them. */
export async function readFile(context: Context, file: FileValue, max: number): Promise<Uint8Array> {
  const { size_bytes, content } = await openFile(context, file)
  if (size_bytes > max) {
    await content.cancel()
    throw permanentError(
      'too_large',
      `${file.name} has ${size_bytes} bytes; files of at most ${max} bytes are read here`,
    )
  }
  return new Uint8Array(await new Response(content).arrayBuffer())
}

/** The file that a parameter names, or the first one of the input. */
export function requireFileIn(value: unknown, input: unknown): FileValue {
  const file = firstFile(value ?? input)
  if (!file) throw new NodeError('no_file', 'There is no file in the input', { permanent: true })
  return file
}

/**
 * The files that a new execution is started with are its own, too. What an outsider wrote names no file, but for those
 * that were received with it.
 */
export function linkInput({
  id,
  owner_id,
  trigger,
  input,
  created_at,
}: {
  id: string
  owner_id: string
  trigger: string
  input: Pick<Value, 'value'>
  created_at: string
}): Statement[] {
  const ids = filesIn(input.value).map(({ file_id }) => file_id)
  if (ids.length === 0) return []
  const only_received = trigger === 'webhook' || trigger === 'form'
  return [linkFiles({ execution_id: id, owner_id, created_at }, { ids, only_received })]
}

/** A file that the caller has uploaded, as a value; null if they have no such file. */
export async function uploadedFile(context: Context, id: string): Promise<FileValue | null> {
  const file = await findStored(context, id)
  return file && FileValue.parse({ ...file, file_id: file.id })
}

/** Of an execution that was never stored, such as a call whose start failed. */
const maxUnclaimed = hour

/** Removes the files whose executions are gone. */
export async function sweepFiles(host: Host): Promise<void> {
  const before = iso(host.clock.now() - maxUnclaimed)
  for (const { file_id, owner_id, made } of await unusedFiles(host, before))
    if (made === 1)
      await removeFile(actingFor(localContext(host), owner_id), file_id).catch((thrown: unknown) => {
        // A person has deleted it.
        if (!(thrown instanceof Fault) || thrown.status !== 404) throw thrown
      })
  await host.sql.write([dropLinks(before)], { long: true })
}
