/** Work that starts the next iteration. Its subject is the run. */
export const iterateKind = 'loops.iterate'
/** Work that verifies an iteration whose turn has ended. Its subject is the iteration. */
export const iterationEndKind = 'loops.iteration_end'
/** Work that stops a turn: the minutes of the budget are over, or the loop was stopped. Its subject is the message. */
export const deadlineKind = 'loops.deadline'
