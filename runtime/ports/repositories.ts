/** A file that differs between two states: ids of its contents, null for no file. */
export interface ChangedFile {
  path: string
  before: string | null
  after: string | null
}

/** Two states as one. In a conflict, `state` has both sides of the lines in question between marks. */
export interface MergedState {
  state: string
  /** Paths that both sides have changed in the same lines. */
  conflicts: string[]
}

/** Git failed or refused. The message is safe to show. */
export class RepositoryError extends Error {
  override name = 'RepositoryError'
}

/**
 * States of folders, kept by git in repositories of our own, one for each `id`. The repository of a folder is only read: its
 * branches, index and settings stay as they are, and no hook or filter of it runs. Every call can be repeated after a crash.
 * Throws `RepositoryError`.
 */
export interface Repositories {
  /** Whether a folder of the machine is the top of a git repository, and states of it can be kept here. */
  isRepository(folder: string): Promise<boolean>
  /**
   * Keeps what a folder of the machine contains now, uncommitted changes included, without what git ignores. Files that the
   * state `including` has too are kept even if git ignores them.
   */
  snapshot(id: string, folder: string, including?: string): Promise<string>
  /** Makes a root of `Files` contain exactly the files of a state. */
  checkout(id: string, root: string, state: string): Promise<void>
  /** Keeps everything that a root contains now, after a `checkout`. */
  store(id: string, root: string): Promise<string>
  /** Adds the changes from `base` to `yours` to those from `base` to `others`. */
  merge(id: string, states: { base: string; others: string; yours: string }): Promise<MergedState>
  /** The files that differ, by path; links and repositories within are left out. */
  changes(id: string, from: string, to: string): Promise<ChangedFile[]>
  /** A content by its id. */
  read(id: string, content: string): Promise<Uint8Array>
  /** Adds a state to the history of the repository, unless it is the last one. */
  commit(id: string, state: string, message: string): Promise<void>
  /** Removes the repository. */
  remove(id: string): Promise<void>
}
