import type { z } from 'zod'
import type { Component as HealthComponent, HealthReport } from '../../runtime/monitoring/health.ts'
import type { KillSwitch } from '../../runtime/monitoring/kill-switch.ts'
import type {
  Budget,
  BudgetScope,
  NewBudget as NewBudgetSchema,
  ScopeKind,
} from '../../runtime/monitoring/schema.ts'
import type { ModelTokens, TokenUsage, Usage, UsagePeriod } from '../../runtime/monitoring/usage.ts'

export type {
  Budget,
  BudgetScope,
  HealthComponent,
  HealthReport,
  KillSwitch,
  ModelTokens,
  ScopeKind,
  TokenUsage,
  Usage,
  UsagePeriod,
}
export type NewBudget = z.input<typeof NewBudgetSchema>
