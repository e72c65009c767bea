import type { RouteTables } from '../../runtime/http/openapi.ts'
import { answers, type Find } from './answers.ts'
import { apiIndex } from './api-index.ts'
import { inbox } from './inbox.ts'
import { documents } from './openapi.ts'

/** Endpoints that describe the API, and those that gather what all areas contribute. */
export const system = (tables: () => Promise<RouteTables>, find: Find) => [
  apiIndex(tables),
  answers(find),
  inbox,
  ...documents(tables),
]
