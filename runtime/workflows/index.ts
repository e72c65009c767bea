/** The door of workflows: what its neighbours may use. */

// Starting an execution.
export { startExecution } from './start.ts'
// Running a workflow and waiting for its result.
export { runAndWait } from './tool.ts'
// Workflows as rows.
export { findShownWorkflow } from './workflow-store.ts'
