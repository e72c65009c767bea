import * as alerts from './alerts.ts'
import * as budgets from './budgets.ts'
import * as figures from './figures.ts'
import * as health from './health.ts'
import * as usage from './usage.ts'

export const monitoring = [
  ...Object.values(health),
  ...Object.values(usage),
  ...Object.values(figures),
  ...Object.values(budgets),
  ...Object.values(alerts),
]
