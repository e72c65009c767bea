import { type FileEntry, type Files, PathRefused } from '../../ports/files.ts'
import { ToolError } from '../tool.ts'

/** Bytes of a text file that can be written, edited or searched. */
export const mostFileBytes = 1024 * 1024

/** The folder of one agent. Refusals become words that the model can act on. */
export class Workspace {
  readonly #files: Files
  readonly #root: string
  readonly #signal: AbortSignal

  constructor(files: Files, agent_id: string, signal: AbortSignal) {
    this.#files = files
    this.#root = `workspaces/${agent_id}`
    this.#signal = signal
  }

  list(folder: string): Promise<FileEntry[]> {
    return this.#do(() => this.#files.list(this.#root, folder))
  }

  stat(path: string): Promise<FileEntry | null> {
    return this.#do(() => this.#files.stat(this.#root, path))
  }

  /** The first `most` bytes of a file, as text; what a cut leaves of a character at the end is dropped. */
  async readText(path: string, most: number): Promise<{ text: string; size_bytes: number }> {
    const entry = await this.stat(path)
    if (entry?.kind === 'folder') throw new ToolError(`${path} is a folder; use the action list`)
    const bytes = entry && (await this.#do(() => this.#files.read(this.#root, path, { max_bytes: most })))
    if (!entry || !bytes)
      throw new ToolError(`There is no file ${path}; use the action list to see what there is`)
    return {
      text: decodeText(path, bytes, entry.size_bytes > bytes.byteLength),
      size_bytes: entry.size_bytes,
    }
  }

  async writeText(path: string, text: string): Promise<number> {
    const bytes = new TextEncoder().encode(text)
    if (bytes.byteLength > mostFileBytes)
      throw new ToolError(`A file holds at most ${mostFileBytes} bytes; split it into several`)
    await this.#do(() => this.#files.write(this.#root, path, bytes))
    return bytes.byteLength
  }

  async #do<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#signal.throwIfAborted()
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof PathRefused)) throw thrown
      throw new ToolError(
        `Refused, for ${thrown.message}. Use a path below your workspace, such as notes/plan.md, without .. or links`,
      )
    }
  }
}

function decodeText(path: string, bytes: Uint8Array, partial: boolean): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: partial })
    if (!text.includes('\u0000')) return text
  } catch {
    // Not UTF-8: told below.
  }
  throw new ToolError(`${path} is not a text file; this tool reads and writes UTF-8 text only`)
}
