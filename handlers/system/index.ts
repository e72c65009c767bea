import type { Endpoint } from '../../runtime/http/endpoint.ts'
import type { RouteTables } from '../../runtime/http/openapi.ts'
import { documents } from './openapi.ts'

export { events } from './events.ts'

/** The endpoints that speak of all the others. */
export const system = (tables: () => RouteTables): Endpoint[] => documents(tables)
