/** Work that advances an execution, which is its subject and its lane. */
export const stepKind = 'workflows.step'
/** Work that queues a step for the execution that is its subject, after an agent's turn has ended. */
export const wakeKind = 'workflows.wake'
/** Work that starts the queued executions of the workflow that is its subject, as far as its mode allows. */
export const promoteKind = 'workflows.promote'
/** Work that starts the error workflow for the failed execution that is its subject. */
export const errorKind = 'workflows.error'
