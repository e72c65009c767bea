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

export const tokens = endpoint('GET /api/monitoring/tokens', {
  summary: 'Get the tokens used in total and today, by model and by project',
  returns: TokenUsage,
  run: (_, context) => readTokens(context),
})

export const history = endpoint('GET /api/monitoring/tokens/history', {
  summary: 'Get the tokens used by hour of the last day, or by day of the last week or month',
  query: HistoryQuery,
  returns: z.array(HistoryItem),
  run: ({ query }, context) => readHistory(context, query.period, query.tz),
})

export const usage = endpoint('GET /api/monitoring/usage', {
  summary: 'Get the spending of the last 24 hours, 7 days or 30 days, with a breakdown',
  query: UsageQuery,
  returns: Usage,
  run: ({ query }, context) => readUsage(context, query.period, query.tz),
})

export const analytics = endpoint('GET /api/monitoring/analytics', {
  summary: 'Get spending by job, project, loop and time of day, compared with the preceding period',
  query: UsageQuery,
  returns: Analytics,
  run: ({ query }, context) => readAnalytics(context, query.period, query.tz),
})

export const activity = endpoint('GET /api/monitoring/activity-summary', {
  summary: 'Count events by type in the last 24 hours, 7 days or 30 days',
  query: UsageQuery,
  returns: Activity,
  run: ({ query }, context) => readActivity(context, query.period, query.tz),
})

export const showKillSwitch = endpoint('GET /api/monitoring/kill-switch', {
  owner: 'shared',
  summary: 'Get whether all model calls are paused',
  returns: KillSwitch,
  run: (_, context) => readKillSwitch(context),
})

export const turnKillSwitch = endpoint('POST /api/monitoring/kill-switch', {
  owner: 'shared',
  summary: 'Stop all model calls immediately, or allow them again',
  access: 'admin',
  body: z.object({ paused: z.boolean() }),
  idempotent: false,
  returns: KillSwitch,
  run: ({ body }, context) => setKillSwitch(context, body.paused),
})
