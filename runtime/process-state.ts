import type { Host, ProcessState } from './host.ts'

/**
 * Declares in-memory state of an area: created on first use, one per process, lost on restart.
 * `const sessions = processState(() => new Sessions())` is accessed as `sessions(context)`.
 */
export function processState<State>(make: (process: ProcessState) => State): (host: Pick<Host, 'process'>) => State {
  return ({ process }) => {
    if (!process.states.has(make)) process.states.set(make, make(process))
    return process.states.get(make) as State
  }
}
