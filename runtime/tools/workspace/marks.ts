import { z } from 'zod'
import type { Context } from '../../context.ts'
import { iso } from '../../time.ts'
import { clearTainted, markTainted, taintedAmong } from '../store.ts'
import type { FileInput } from './actions.ts'

const Found = z.object({ matches: z.array(z.object({ path: z.string() })) })

/**
 * Remembers which files of a workspace hold text from outside: what a conversation writes that has taken some in. A
 * file keeps its mark until a conversation without such text writes the whole of it anew.
 */
export class Marks {
  readonly #context: Context
  readonly #agent: string
  readonly #tainted: boolean

  constructor(context: Context, agent: string, tainted: boolean) {
    this.#context = context
    this.#agent = agent
    this.#tainted = tainted
  }

  /** The mark comes first: a crash in between leaves a mark too many, never one too few. */
  async before({ action, path }: FileInput): Promise<void> {
    if (!this.#tainted || !path || (action !== 'write' && action !== 'edit')) return
    const now = iso(this.#context.clock.now())
    await this.#context.commit([markTainted(this.#agent, plain(path), now)])
  }

  /** The output, with `untrusted` beside what marked files hold. */
  async after({ action, path = '' }: FileInput, output: unknown): Promise<unknown> {
    if (action === 'write' && !this.#tainted)
      await this.#context.commit([clearTainted(this.#agent, plain(path))])
    const read = action === 'read' ? [path] : foundIn(output)
    if (read.length === 0) return output
    const marked = await taintedAmong(this.#context, this.#agent, read.map(plain))
    return marked.length === 0 ? output : { ...(output as object), untrusted: true }
  }
}

const foundIn = (output: unknown): string[] =>
  Found.safeParse(output).data?.matches.map(({ path }) => path) ?? []

/** One file has many spellings. */
const plain = (path: string): string =>
  path
    .normalize('NFC')
    .split(/[\\/]/)
    .filter((part) => part !== '' && part !== '.')
    .join('/')
