import type { RouteTables } from '../../runtime/http/openapi.ts'
import { apiIndex } from './api-index.ts'
import { documents } from './openapi.ts'

/** Endpoints that describe the API. */
export const system = (tables: () => Promise<RouteTables>) => [apiIndex(tables), ...documents(tables)]
