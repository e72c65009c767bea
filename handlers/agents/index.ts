import type { Endpoint } from '../../runtime/http/endpoint.ts'
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
export const agents: Endpoint[] = [
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
