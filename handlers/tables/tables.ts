import { endpointsOf } from '../../runtime/http/collection-endpoints.ts'
import { tables } from '../../runtime/tables/tables.ts'

export const { list, create, show, update, remove } = endpointsOf(tables)
