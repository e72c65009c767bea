import {
  archetypes,
  create,
  duplicate,
  exportOne,
  importOne,
  list,
  remove,
  show,
  stats,
  tools,
  update,
} from './agents.ts'

/** Fixed paths come before those with an id, which would match them. */
export const agents = [list, create, archetypes, tools, importOne, show, update, remove, duplicate, stats, exportOne]
