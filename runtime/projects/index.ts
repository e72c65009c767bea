/** The door of projects: what its neighbours may use. */

// Asking for a project's plan.
export { requestPlan } from './planning.ts'
// Projects as rows.
export { findOwnProject, findProject, projectNames } from './project-store.ts'
// Creating a project.
export { addProject } from './projects.ts'
// The wire format of projects.
export { NewProject, Strategy } from './schema.ts'
// Counts of ended tasks.
export { countEndedTasks } from './task-store.ts'
