import type { Host, ProcessState } from './host.ts'

/**
 * Declares what one process remembers for an area: made on first use, one per process, gone with a restart.
 * `const sessions = processState(() => new Sessions())` is read as `sessions(context)`.
 */
export function processState<State>(
  make: (process: ProcessState) => State,
): (host: Pick<Host, 'process'>) => State {
  return ({ process }) => {
    if (!process.states.has(make)) process.states.set(make, make(process))
    return process.states.get(make) as State
  }
}
