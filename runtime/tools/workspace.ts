import { nobody, ownerOf } from '../auth/owner.ts'
import { securitySettings } from '../auth/security.ts'
import { kindOfFile, maxDocumentBytes } from '../documents/document.ts'
import { conflict, Fault } from '../fault.ts'
import type { Host } from '../host.ts'
import { machineRoot } from '../paths.ts'
import { type FileEntry, type Files, type LockedFile, PathRefused } from '../ports/files.ts'
import type { DocumentKind } from '../ports/reader.ts'
import { readSection } from '../sections/section.ts'
import { findMount } from './store.ts'
import { clipped } from './text.ts'
import { ToolError, type ToolScope } from './tool.ts'

/** Bytes of a text file that can be read, written or searched. */
export const maxFileBytes = 1024 * 1024

/** The root of the files that an agent works on in a turn: those of its project or loop, else its own. */
export async function rootOf({
  context,
  agent,
  project_id,
  spender,
}: Pick<ToolScope, 'context' | 'agent' | 'project_id' | 'spender'>): Promise<string> {
  const owner = ownerOf(context)
  try {
    if (spender?.worktree) return spender.worktree
    if (project_id !== null) return await openRoot(context, projectRoot(project_id, owner))
    const folder = spender?.loop_id ? await openMount(context, loopRoot(spender.loop_id)) : null
    return folder ?? workspaceOf(agent.id, owner)
  } catch (thrown) {
    throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
  }
}

/**
 * The root to use for a workspace: itself, or the folder of the machine that it stands for. Throws a `Fault` that says
 * why that folder cannot be used now.
 */
export const openRoot = async (context: Host, root: string): Promise<string> => (await openMount(context, root)) ?? root

/** The folder of the machine that a root stands for, as `openRoot`; null if it stands for none. */
export async function openMount(context: Host, root: string): Promise<string | null> {
  const path = await findMount(context, root)
  if (path === null) return null
  const folder = await machineFolder(context, path)
  if (folder.ok) return machineRoot(folder.path)
  throw conflict(`The folder ${path} ${folder.problem}`)
}

const folderProblems = {
  missing: 'does not exist; restore it, then try again',
  outside: 'is outside the allowed folders; an administrator can allow it in the security settings',
  private: "contains hearthd's own data, or is part of it",
  unsupported: 'cannot be used: this host has no folders',
}

/** A folder of the machine that the security settings allow, by its real path, or what is wrong with it. */
export async function machineFolder(
  context: Host,
  path: string,
): Promise<{ ok: true; path: string } | { ok: false; problem: string }> {
  const { allowed_paths } = await readSection(context, securitySettings)
  const folder = await context.files.machineFolder(path, allowed_paths)
  return folder.ok ? folder : { ok: false, problem: folderProblems[folder.reason] }
}

/** The root of a project's files. It names the owner, so that nobody reaches another's files by a project id. */
export const projectRoot = (project_id: string, owner_id: string): string =>
  owner_id === nobody ? `projects/${project_id}` : `projects/${project_id}.${owner_id}`

/** Below it, each task of a project in a repository has a copy of its own. */
export const worktreesRoot = 'worktrees'

export const worktreeRoot = (task_id: string): string => `${worktreesRoot}/${task_id}`

/** The root that stands for a loop's folder of the machine; other loops work in the files of their agent. */
export const loopRoot = (loop_id: string): string => `loops/${loop_id}`

/** The root of an agent's files for one owner. */
export const workspaceOf = (agent_id: string, owner_id: string): string =>
  owner_id === nobody ? `workspaces/${agent_id}` : `workspaces/${agent_id}.${owner_id}`

const maxFilesSearched = 2_000

export interface Match {
  path: string
  line: number
  text: string
}

/** A text file that nobody else changes now. */
export interface TextFile {
  /** As `Workspace.readWhole`. */
  read(): Promise<string | null>
  /** Returns the bytes written. */
  write(text: string): Promise<number>
}

/** The folder of one agent and owner. Errors become a `ToolError` that the model can act on. */
export class Workspace {
  readonly #files: Files
  readonly #root: string
  readonly #signal: AbortSignal

  constructor(files: Files, root: string, signal: AbortSignal) {
    this.#files = files
    this.#root = root
    this.#signal = signal
  }

  list(folder: string): Promise<FileEntry[]> {
    return this.#run(() => this.#files.list(this.#root, folder))
  }

  /** The start of a file as text, at most `maxFileBytes` of it. */
  async read(path: string): Promise<{ text: string; partial: boolean }> {
    const file = await this.#find(path)
    if (!file) throw new ToolError(`There is no file ${path}; use the action list to see what there is`)
    return file
  }

  /** The kind of a document; null for any other file. */
  async documentKind(path: string): Promise<DocumentKind | null> {
    return kindOfFile(path, await this.bytes(path, 8))
  }

  /** The first bytes of a file, at most `max_bytes`; none if there is no such file. */
  async bytes(path: string, max_bytes = maxDocumentBytes + 1): Promise<Uint8Array> {
    const read = await this.#run(() => this.#files.read(this.#root, path, { max_bytes }))
    return read ?? new Uint8Array()
  }

  /**
   * The whole text of a file; null if there is none. Throws for a file that is too large to be read
   * completely.
   */
  async readWhole(path: string): Promise<string | null> {
    const file = await this.#find(path)
    if (file?.partial) throw new ToolError(`${path} is larger than ${maxFileBytes} bytes and cannot be changed here`)
    return file?.text ?? null
  }

  /** Runs `change` while nobody else changes the file. */
  change<Result>(path: string, change: (file: TextFile) => Promise<Result>): Promise<Result> {
    return this.#run(() =>
      this.#files.change(this.#root, path, (file) =>
        change({
          read: () => this.readWhole(path),
          write: (text) => this.#write(file, text),
        }),
      ),
    )
  }

  async #write(file: LockedFile, text: string): Promise<number> {
    const bytes = new TextEncoder().encode(text)
    if (bytes.byteLength > maxFileBytes)
      throw new ToolError(`A file may have at most ${maxFileBytes} bytes; split it into several`)
    await this.#run(() => file.write(bytes))
    return bytes.byteLength
  }

  /**
   * Lines that contain `query` in the text files below a folder, case ignored; a few more than `max` at most.
   */
  async search(folder: string, query: string, max: number): Promise<Match[]> {
    const matches: Match[] = []
    for (const entry of await this.#filesBelow(folder)) {
      matches.push(...(await this.#matchesIn(entry, query.toLowerCase())))
      if (matches.length > max) break
    }
    return matches
  }

  async #filesBelow(folder: string): Promise<FileEntry[]> {
    const files: FileEntry[] = []
    const folders = [folder]
    for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
      const entries = await this.list(next)
      files.push(...entries.filter(({ kind }) => kind === 'file'))
      if (files.length >= maxFilesSearched) break
      folders.push(...entries.filter(({ kind }) => kind === 'folder').map(({ path }) => path))
    }
    return files.slice(0, maxFilesSearched)
  }

  async #matchesIn({ path, size_bytes }: FileEntry, query: string): Promise<Match[]> {
    if (size_bytes > maxFileBytes) return []
    const { text } = await this.read(path).catch(emptyIfUnreadable)
    const lines = text.split(/\r?\n/).map((line, index) => ({ path, line: index + 1, text: line }))
    return lines
      .filter((match) => match.text.toLowerCase().includes(query))
      .map((match) => ({ ...match, text: clipped(match.text, 300) }))
  }

  async #find(path: string): Promise<{ text: string; partial: boolean } | null> {
    const entry = await this.#run(() => this.#files.stat(this.#root, path))
    if (entry?.kind === 'folder') throw new ToolError(`${path} is a folder; use the action list`)
    const options = { max_bytes: maxFileBytes }
    const bytes = entry && (await this.#run(() => this.#files.read(this.#root, path, options)))
    if (!entry || !bytes) return null
    const partial = entry.size_bytes > bytes.byteLength
    return { text: decodeText(path, bytes, partial), partial }
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#signal.throwIfAborted()
    try {
      return await work()
    } catch (thrown) {
      if (thrown instanceof Fault) throw new ToolError(thrown.message)
      if (!(thrown instanceof PathRefused)) throw thrown
      throw new ToolError(
        `Refused: ${thrown.message}. Use a path below your workspace, such as notes/plan.md, without .. or links`,
      )
    }
  }
}

/** A search skips files that are not text. */
function emptyIfUnreadable(thrown: unknown): { text: string } {
  if (thrown instanceof ToolError) return { text: '' }
  throw thrown
}

/** With `partial`, a truncated character at the end is dropped. */
function decodeText(path: string, bytes: Uint8Array, partial: boolean): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: partial })
    if (!text.includes('\u0000')) return text
  } catch {
    // Not UTF-8: reported below.
  }
  throw new ToolError(`${path} is not a text file; this tool reads and writes UTF-8 text only`)
}
