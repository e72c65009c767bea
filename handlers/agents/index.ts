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
  update,
} from './agents.ts'

/** `archetypes` and `import` come before `{id}`, which would match them. */
export const agents: Endpoint[] = [
  list,
  create,
  archetypes,
  importOne,
  show,
  update,
  remove,
  duplicate,
  stats,
  exportOne,
]
