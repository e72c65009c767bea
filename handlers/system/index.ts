import type { RouteTables } from '../../runtime/http/openapi.ts'
import { apiIndex } from './api-index.ts'
import { documents } from './openapi.ts'

/** The endpoints that speak of all the others. */
export const system = (tables: () => Promise<RouteTables>) => [apiIndex(tables), ...documents(tables)]
