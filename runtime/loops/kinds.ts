/** Work that starts the next iteration. Its subject is the run. */
export const iterateKind = 'loops.iterate'
/** Work that verifies an iteration whose turn has ended. Its subject is the iteration. */
export const iterationEndKind = 'loops.iteration_end'
