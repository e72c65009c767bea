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
  remove(root: string, path: string): Promise<boolean>
}
