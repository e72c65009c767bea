export interface FileEntry {
  /** Path below the root, with forward slashes. */
  path: string
  kind: 'file' | 'folder'
  size_bytes: number
  /** ISO 8601, UTC. */
  modified_at: string
}

/** The path leaves its root, follows a symbolic link, or is not valid on every system. */
export class PathRefused extends Error {
  override name = 'PathRefused'
}

export interface StreamedFile {
  size_bytes: number
  /** Hex, lower case. */
  sha256: string
}

/** Byte range of a file; `end` is exclusive. Default: the whole file. */
export interface ByteSpan {
  start?: number
  end?: number
}

/** Writes of `Files` for a file that is locked already. */
export interface LockedFile {
  write(bytes: Uint8Array): Promise<void>
  writeStream(pieces: AsyncIterable<Uint8Array>): Promise<StreamedFile>
}

/** A folder of the machine by its path without links, or why it cannot be used. */
export type MachineFolder =
  | { ok: true; path: string }
  | { ok: false; reason: 'missing' | 'outside' | 'private' | 'unsupported' }

/**
 * Folders of files, each below a named root such as `workspaces/agent_01…`.
 * Paths are relative, with forward slashes. A path that would leave its root rejects with `PathRefused`.
 * A missing file is `null` or `false`, never an error. `machineRoot` of `runtime/paths.ts` names a folder of the machine
 * as a root; a missing one rejects with a `Fault`.
 */
export interface Files {
  list(root: string, folder?: string): Promise<FileEntry[]>
  stat(root: string, path: string): Promise<FileEntry | null>
  read(root: string, path: string, options?: { max_bytes?: number }): Promise<Uint8Array | null>
  /** Writes a file atomically and creates missing folders. Readers see either the old or the new content. */
  write(root: string, path: string, bytes: Uint8Array): Promise<void>
  /**
   * Like `write`, but streams the content. The file becomes visible after the last piece. If `pieces` throws, the
   * error is rethrown and nothing is kept.
   */
  writeStream(root: string, path: string, pieces: AsyncIterable<Uint8Array>): Promise<StreamedFile>
  /**
   * Runs `run` while nobody else changes the file, through whichever root: `write`, `remove`, a `move` to it, the end of
   * `writeStream` and other calls of `change` wait, in their order. `run` writes the file through its argument only, changes
   * no other file, and is short.
   */
  change<Result>(root: string, path: string, run: (file: LockedFile) => Promise<Result>): Promise<Result>
  /** Streams a file; null if it does not exist. The file is closed at the end of the stream or by `cancel`. */
  readStream(root: string, path: string, span?: ByteSpan): Promise<ReadableStream<Uint8Array> | null>
  /** Moves a file within its root. Creates folders and replaces the target. False if the file does not exist. */
  move(root: string, from: string, to: string): Promise<boolean>
  remove(root: string, path: string): Promise<boolean>
  /**
   * Bytes that everything below a root takes, whatever its name; null if there are more than `max_entries`, or if a folder
   * cannot be read.
   */
  size(root: string, max_entries: number): Promise<number | null>
  /** Removes a root with everything below it, whatever its name. */
  removeRoot(root: string): Promise<void>
  /**
   * Resolves a folder of the machine, which must be one of `allowed` or lie below one (`outside`), and must neither contain
   * nor be part of the daemon's own data (`private`).
   */
  machineFolder(path: string, allowed: readonly string[]): Promise<MachineFolder>
}
