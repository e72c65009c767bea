export interface FileEntry {
  /** Path below the root, with forward slashes. */
  path: string
  kind: 'file' | 'folder'
  size_bytes: number
  /** ISO 8601, UTC. */
  modified_at: string
}

/** A path that leaves its root, passes a symbolic link, or cannot be a name on every system. */
export class PathRefused extends Error {
  override name = 'PathRefused'
}

export interface StreamedFile {
  size_bytes: number
  /** Hex, lower case. */
  sha256: string
}

/** Bytes of a file: from `start` on, up to but without `end`. Default: all. */
export interface ByteSpan {
  start?: number
  end?: number
}

/**
 * Folders of files, each below a named root such as `workspaces/agent_01…`.
 * Paths are relative, with forward slashes. A path that would leave its root rejects with `PathRefused`.
 * A missing file is `null` or `false`, never an error.
 */
export interface Files {
  list(root: string, folder?: string): Promise<FileEntry[]>
  stat(root: string, path: string): Promise<FileEntry | null>
  read(root: string, path: string, options?: { max_bytes?: number }): Promise<Uint8Array | null>
  /** Creates missing folders; replaces the file in one step, so a reader sees the old or the new. */
  write(root: string, path: string, bytes: Uint8Array): Promise<void>
  /**
   * As `write`, piece by piece, so that a large file is never held whole. Nobody sees the file before its last piece;
   * when `pieces` throws, so does this, and nothing is left.
   */
  writeStream(root: string, path: string, pieces: AsyncIterable<Uint8Array>): Promise<StreamedFile>
  /** The bytes as they are read; null when there is no such file. What was opened is closed at the end or by `cancel`. */
  readStream(root: string, path: string, span?: ByteSpan): Promise<ReadableStream<Uint8Array> | null>
  /** Gives a file another path in its root, making folders, replacing a file there. False when there was no file. */
  move(root: string, from: string, to: string): Promise<boolean>
  remove(root: string, path: string): Promise<boolean>
}
