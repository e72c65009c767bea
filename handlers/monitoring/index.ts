import * as budgets from './budgets.ts'
import * as health from './health.ts'
import * as killSwitch from './kill-switch.ts'
import * as metrics from './metrics.ts'
import * as probes from './probes.ts'
import * as usage from './usage.ts'

export const monitoring = [
  ...Object.values(probes),
  ...Object.values(health),
  ...Object.values(metrics),
  ...Object.values(usage),
  ...Object.values(budgets),
  ...Object.values(killSwitch),
]
