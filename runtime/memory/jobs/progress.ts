import type { Context } from '../../context.ts'
import type { EventInput } from '../../events/event.ts'
import type { Statement } from '../../ports/sql.ts'
import { second } from '../../time.ts'
import type { MemoryJob } from './schema.ts'

export const jobUpdated = (job: MemoryJob): EventInput => ({
  type: 'memory.job.updated',
  data: { job: { ...job } },
})

/** Progress is told this often at most. */
const pause = 1 * second

/** How far a job is: kept for those who ask, told to those who listen. */
export class Progress {
  readonly #context: Context
  readonly #job: MemoryJob
  #told: number | null = null

  constructor(context: Context, job: MemoryJob) {
    this.#context = context
    this.#job = job
  }

  /** Stores rows of the job with how far it is by them. A new phase is told at once. Throws when the job is to end. */
  async commit(
    step: MemoryJob['progress'],
    statements: readonly Statement[] = [],
    events: EventInput[] = [],
  ) {
    this.#context.signal.throwIfAborted()
    const due = this.#due(step)
    this.#job.progress = step
    if (statements.length + events.length === 0 && !due) return
    await this.#context.commit(statements, due ? [...events, jobUpdated(this.#job)] : events)
    if (due) this.#told = this.#context.clock.now()
  }

  #due({ phase }: MemoryJob['progress']): boolean {
    return (
      this.#told === null ||
      phase !== this.#job.progress.phase ||
      this.#context.clock.now() - this.#told >= pause
    )
  }
}
