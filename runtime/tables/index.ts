/** The door of tables: what its neighbours may use. */

// Reading and changing the rows of a table that the caller may use.
export { actions, operate, operation } from './operate.ts'
