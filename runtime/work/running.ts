interface Running {
  kind: string
  abort: AbortController
  done: Promise<void>
}

/** The units that this process runs now, so that they can be counted, cancelled and waited for. */
export class RunningWork {
  /** When the leases of these units were last renewed, in milliseconds since the epoch. */
  renewed_at = 0
  readonly #units = new Map<string, Running>()

  add(id: string, unit: Running): void {
    this.#units.set(id, unit)
    void unit.done.finally(() => this.#units.delete(id))
  }

  has(id: string): boolean {
    return this.#units.has(id)
  }

  /** False when this process does not run it, or has aborted it already. */
  abort(id: string, reason: Error): boolean {
    const unit = this.#units.get(id)
    if (!unit || unit.abort.signal.aborted) return false
    unit.abort.abort(reason)
    return true
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

  /** Resolves when everything that runs now has ended, or of it these units. */
  async settled(ids: readonly string[] = this.ids): Promise<void> {
    await Promise.allSettled(ids.map((id) => this.#units.get(id)?.done))
  }
}
