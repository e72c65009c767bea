import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { KillSwitch, readKillSwitch, setKillSwitch } from '../../runtime/ledger/kill-switch.ts'
import { Activity, readActivity } from '../../runtime/monitoring/activity.ts'
import { Analytics, readAnalytics } from '../../runtime/monitoring/analytics.ts'
import {
  HistoryItem,
  HistoryQuery,
  readHistory,
  readTokens,
  readUsage,
  TokenUsage,
  Usage,
  UsageQuery,
} from '../../runtime/monitoring/usage.ts'

export const tokens = endpoint({
  method: 'GET',
  path: '/api/monitoring/tokens',
  summary: 'Tokens used in total and today, by model and by project',
  returns: TokenUsage,
  run: async (_, context) => await readTokens(context),
})

export const history = endpoint({
  method: 'GET',
  path: '/api/monitoring/tokens/history',
  summary: 'Tokens by hour of the last day, or by day of the last week or month',
  query: HistoryQuery,
  returns: z.array(HistoryItem),
  run: async ({ query }, context) => await readHistory(context, query.period, query.tz),
})

export const usage = endpoint({
  method: 'GET',
  path: '/api/monitoring/usage',
  summary: 'What was spent in the last 24 hours, 7 or 30 days, and on what',
  query: UsageQuery,
  returns: Usage,
  run: async ({ query }, context) => await readUsage(context, query.period, query.tz),
})

export const analytics = endpoint({
  method: 'GET',
  path: '/api/monitoring/analytics',
  summary: 'Get spending by job, project, loop and time of day, compared with the preceding period',
  query: UsageQuery,
  returns: Analytics,
  run: async ({ query }, context) => await readAnalytics(context, query.period, query.tz),
})

export const activity = endpoint({
  method: 'GET',
  path: '/api/monitoring/activity-summary',
  summary: 'Count events by type in the last 24 hours, 7 days or 30 days',
  query: UsageQuery,
  returns: Activity,
  run: async ({ query }, context) => await readActivity(context, query.period, query.tz),
})

export const showKillSwitch = endpoint({
  method: 'GET',
  path: '/api/monitoring/kill-switch',
  owner: 'house',
  summary: 'Whether all model calls are paused',
  returns: KillSwitch,
  run: async (_, context) => await readKillSwitch(context),
})

export const turnKillSwitch = endpoint({
  method: 'POST',
  path: '/api/monitoring/kill-switch',
  owner: 'house',
  summary: 'Stop all model calls at once, or allow them again',
  access: 'admin',
  body: z.object({ paused: z.boolean() }),
  idempotent: false,
  returns: KillSwitch,
  run: async ({ body }, context) => await setKillSwitch(context, body.paused),
})
