import * as alerts from './alerts.ts'
import * as automations from './automations.ts'
import * as budgets from './budgets.ts'
import * as calls from './calls.ts'
import * as health from './health.ts'
import * as logs from './logs.ts'
import * as now from './now.ts'
import * as performance from './performance.ts'
import * as usage from './usage.ts'

export const monitoring = [
  ...Object.values(automations),
  ...Object.values(health),
  ...Object.values(now),
  ...Object.values(usage),
  ...Object.values(calls),
  ...Object.values(performance),
  ...Object.values(logs),
  ...Object.values(budgets),
  ...Object.values(alerts),
]
