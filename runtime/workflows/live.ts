import { processState } from '../process-state.ts'
import type { NodeRun } from './schema.ts'

/** A node that has started, or stopped running; for those who watch an execution. Never stored. */
export type NodeChange = Pick<
  NodeRun,
  'node_id' | 'status' | 'attempt' | 'iteration' | 'started_at' | 'completed_at' | 'error'
> & { execution_id: string; seq: number }

type Listener = (change: NodeChange) => void

/** Who watches which executions in this process. */
class Watchers {
  readonly #listeners = new Map<string, Set<Listener>>()

  watch(execution: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(execution) ?? new Set()
    this.#listeners.set(execution, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(execution)
    }
  }

  has(execution: string): boolean {
    return this.#listeners.has(execution)
  }

  publish(change: NodeChange): void {
    for (const listener of this.#listeners.get(change.execution_id) ?? []) listener(change)
  }
}

export const watchers = processState(() => new Watchers())
