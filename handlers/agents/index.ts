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

/** `archetypes`, `tools` and `import` come before `{id}`, which would match them. */
export const agents = [
  list,
  create,
  archetypes,
  tools,
  importOne,
  show,
  update,
  remove,
  duplicate,
  stats,
  exportOne,
]
