import type { Endpoint } from '../../runtime/http/endpoint.ts'
import * as budgets from './budgets.ts'
import * as health from './health.ts'
import * as killSwitch from './kill-switch.ts'
import * as metrics from './metrics.ts'
import * as probes from './probes.ts'
import * as usage from './usage.ts'

export const monitoring: Endpoint[] = [probes, health, metrics, usage, budgets, killSwitch].flatMap(
  (resource) => Object.values(resource),
)
