import type { Endpoint } from '../../runtime/http/endpoint.ts'
import type { RouteTables } from '../../runtime/http/openapi.ts'
import { apiIndex } from './api-index.ts'
import { documents } from './openapi.ts'

/** The endpoints that speak of all the others. */
export const system = (tables: () => Promise<RouteTables>): Endpoint[] => [
  apiIndex(tables),
  ...documents(tables),
]
