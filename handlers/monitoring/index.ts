import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as health from './health.ts'
import * as metrics from './metrics.ts'
import * as probes from './probes.ts'

export { apiIndex } from './api-index.ts'

export const monitoring: Endpoint[] = [probes, health, metrics].flatMap((resource) => Object.values(resource))
