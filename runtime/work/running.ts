interface Running {
  kind: string
  /** When its lease was taken or renewed last, in milliseconds since the epoch. */
  leased_at: number
  abort: AbortController
  done: Promise<void>
}

/** The units that this process is running. */
export class RunningWork {
  /** Time of the last lease renewal, in milliseconds since the epoch. */
  renewed_at = 0
  readonly #units = new Map<string, Running>()

  add(id: string, unit: Running): void {
    this.#units.set(id, unit)
    void unit.done.finally(() => this.#units.delete(id))
  }

  has(id: string): boolean {
    return this.#units.has(id)
  }

  /** False if this process is not running the unit or has already aborted it. */
  abort(id: string, reason: Error): boolean {
    const unit = this.#units.get(id)
    if (!unit || unit.abort.signal.aborted) return false
    unit.abort.abort(reason)
    return true
  }

  renewed(id: string, now: number): void {
    const unit = this.#units.get(id)
    if (unit) unit.leased_at = now
  }

  /** Aborts the units whose leases were taken or renewed before a time, in milliseconds since the epoch, and returns their ids. */
  abortBefore(time: number, reason: Error): string[] {
    const late = [...this.#units].filter(([, { leased_at }]) => leased_at < time)
    return late.map(([id]) => id).filter((id) => this.abort(id, reason))
  }

  abortAll(reason: Error): void {
    for (const unit of this.#units.values()) unit.abort.abort(reason)
  }

  count(kind?: string): number {
    if (!kind) return this.#units.size
    return [...this.#units.values()].filter((unit) => unit.kind === kind).length
  }

  get ids(): string[] {
    return [...this.#units.keys()]
  }

  /** The kinds of the running units, each once. */
  get kinds(): string[] {
    return [...new Set([...this.#units.values()].map(({ kind }) => kind))]
  }

  idsOf(kind: string): string[] {
    return this.ids.filter((id) => this.#units.get(id)?.kind === kind)
  }

  /** Resolves when the given units, by default all that are running now, have ended. */
  async settled(ids: readonly string[] = this.ids): Promise<void> {
    await Promise.allSettled(ids.map((id) => this.#units.get(id)?.done))
  }
}
