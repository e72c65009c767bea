import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as resource from './files.ts'

export const files: Endpoint[] = Object.values(resource)
