import type { Statement } from '../ports/sql.ts'
import { addResult, dropIterations, type LoopResult, type StoredRun, saveRun } from './node-run-store.ts'

/** Iterations of a loop whose runs are all kept; of later ones only the latest is. */
const keptIterations = 100

/** Bounds of what waits for a commit: milliseconds, rows, and characters of their values. */
export const maxPending = { milliseconds: 100, rows: 2_000, characters: 4 * 1024 * 1024 }

/**
 * What an execution has computed since its last commit. A kill loses it, so only nodes without effects run meanwhile. Runs
 * of a loop that a later iteration replaces are never stored.
 */
export class Pending {
  readonly #execution: string
  readonly #now: () => number
  readonly #statements: Statement[] = []
  readonly #runs = new Map<number, StoredRun>()
  /** Runs of late iterations, by loop and node. Those of iterations below `below` are not kept. */
  readonly #late = new Map<string, { runs: StoredRun[]; below: number }>()
  /** What others are told once it is stored. */
  readonly announcements: (() => void)[] = []
  #rows = 0
  #characters = 0
  /** When the first row was added; null if there is none. */
  #since: number | null = null

  constructor(execution: string, now: () => number) {
    this.#execution = execution
    this.#now = now
  }

  get isEmpty(): boolean {
    return this.#since === null
  }

  /** Whether a run has not ended. */
  get hasOpenRun(): boolean {
    return this.#runs.values().some(({ completed_at }) => completed_at === null)
  }

  get isDue(): boolean {
    if (this.#since === null) return false
    const { milliseconds, rows, characters } = maxPending
    return this.#rows >= rows || this.#characters >= characters || this.#now() - this.#since >= milliseconds
  }

  /** Counts what is stored besides the rows. */
  weigh(bytes: number): void {
    this.#count(0, bytes)
  }

  #count(rows: number, characters = 0): void {
    this.#rows += rows
    this.#characters += characters
    this.#since ??= this.#now()
  }

  add(statements: readonly Statement[]): void {
    if (statements.length === 0) return
    this.#statements.push(...statements)
    this.#count(statements.length)
  }

  /** Stores a run. In a long loop, the runs of its node in iterations below `firstActive` are dropped. */
  save(run: StoredRun, firstActive: number | null): void {
    this.#runs.set(run.seq, run)
    this.#count(1, (run.input?.length ?? 0) + (run.output?.length ?? 0))
    const { iteration } = run
    if (iteration === null || iteration < keptIterations) return
    const key = `${run.frame} ${run.node_id}`
    const late = this.#late.get(key) ?? { runs: [], below: keptIterations }
    const below = Math.max(late.below, Math.min(iteration, firstActive ?? iteration))
    const runs = late.runs.filter((one) => {
      const isKept = one.seq !== run.seq && (one.iteration ?? 0) >= below
      if (!isKept && one.seq !== run.seq) this.#runs.delete(one.seq)
      return isKept
    })
    this.#late.set(key, { runs: [...runs, run], below })
  }

  /** Stores what an iteration of a loop has returned. */
  addResult(frame: number, result: LoopResult): void {
    this.#statements.push(addResult(this.#execution, frame, result))
    this.#count(1, result.value.length)
  }

  /** Takes back what a commit could not store. */
  restore(earlier: Pending): void {
    this.#statements.unshift(...earlier.statements())
    this.announcements.unshift(...earlier.announcements)
    this.#count(earlier.#rows, earlier.#characters)
  }

  statements(): Statement[] {
    const dropped = [...this.#late.values()].flatMap(({ runs, below }) =>
      runs.slice(-1).map((run) => dropIterations(run, { from: keptIterations, below })),
    )
    const runs = [...this.#runs.values()].map(saveRun)
    // What later runs refer to as well is not deleted in between.
    return [...this.#statements, ...runs, ...dropped]
  }
}
