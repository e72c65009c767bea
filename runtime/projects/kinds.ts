/** Work that makes a plan. Its subject is the project, as it is for `advanceKind`. */
export const planKind = 'projects.plan'
/** Work that starts what can start and ends the project when nothing is left. */
export const advanceKind = 'projects.advance'
/** Work that closes an attempt whose turn has ended. Its subject is the task. */
export const taskEndKind = 'projects.task_end'
/** Work that stops the turns of tasks that were cancelled, skipped or replaced. */
export const stopKind = 'projects.stop'
/** Work that audits a finished project. */
export const auditKind = 'projects.audit'
