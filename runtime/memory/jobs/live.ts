import type { JobKind, MemoryJob } from './schema.ts'

/** The latest job of each kind, as this process knows it; a restart forgets them. */
export class MemoryJobs {
  readonly #latest = new Map<JobKind, MemoryJob>()

  latest(kind: JobKind): MemoryJob | null {
    return this.#latest.get(kind) ?? null
  }

  set(job: MemoryJob): void {
    this.#latest.set(job.kind, job)
  }
}
