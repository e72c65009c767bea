import { readFileSync } from 'node:fs'
import { ForksPoolWorker, type PoolRunnerInitializer } from 'vitest/node'

/** Resident memory, in bytes, from which a worker takes no further file. */
const bound = 1024 ** 3

const pageSize = 4_096

/** 0 on a system without /proc. */
function residentMemory(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * pageSize
  } catch {
    return 0
  }
}

/** A process that runs test files one after the other, until it has grown to the bound. */
class BoundedWorker extends ForksPoolWorker {
  override readonly name = boundedForks.name

  /** The pool asks before it gives the worker another file, and ends one that refuses. */
  canReuse(): boolean {
    // biome-ignore lint/complexity/useLiteralKeys: it is private in its type.
    return residentMemory(this['fork'].pid ?? 0) < bound
  }
}

/** vitest's own pool bounds the memory of workers that isolate each file only. */
export const boundedForks: PoolRunnerInitializer = {
  name: 'bounded-forks',
  createPoolWorker: (options) => new BoundedWorker(options),
}
