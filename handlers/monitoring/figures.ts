import { endpoint } from '../../runtime/http/endpoint.ts'
import { stream } from '../../runtime/http/returns.ts'
import { Activity, readActivity } from '../../runtime/monitoring/activity.ts'
import { Analytics, readAnalytics } from '../../runtime/monitoring/analytics.ts'
import { followLogs, LogFilter, LogQuery, Logs, logEvents, readLogs } from '../../runtime/monitoring/logs.ts'
import {
  Performance,
  PerformanceHistory,
  PerformanceHistoryQuery,
  PerformanceQuery,
  readPerformance,
  readPerformanceHistory,
} from '../../runtime/monitoring/performance.ts'
import { readSystem, System } from '../../runtime/monitoring/system.ts'
import { UsageQuery } from '../../runtime/monitoring/usage.ts'

export const activity = endpoint({
  method: 'GET',
  path: '/api/monitoring/activity-summary',
  summary: 'Count events by type in the last 24 hours, 7 days or 30 days',
  query: UsageQuery,
  returns: Activity,
  run: async ({ query }, context) => await readActivity(context, query.period, query.tz),
})

export const analytics = endpoint({
  method: 'GET',
  path: '/api/monitoring/analytics',
  summary: 'Get spending by job, project, loop and time of day, compared with the preceding period',
  query: UsageQuery,
  returns: Analytics,
  run: async ({ query }, context) => await readAnalytics(context, query.period, query.tz),
})

export const performance = endpoint({
  method: 'GET',
  path: '/api/monitoring/performance',
  owner: 'none',
  summary: 'Get requests, errors and response times by route and by model',
  query: PerformanceQuery,
  returns: Performance,
  run: async ({ query }, context) => await readPerformance(context, query.period),
})

export const performanceHistory = endpoint({
  method: 'GET',
  path: '/api/monitoring/performance/history',
  owner: 'none',
  summary: 'Get requests, errors and response times by minute, hour or day',
  query: PerformanceHistoryQuery,
  returns: PerformanceHistory,
  run: async ({ query }, context) => await readPerformanceHistory(context, query),
})

export const system = endpoint({
  method: 'GET',
  path: '/api/monitoring/system',
  owner: 'none',
  summary: 'Get the current state of processor, memory, disk, process and database',
  returns: System,
  run: async (_, context) => await readSystem(context),
})

export const logs = endpoint({
  method: 'GET',
  path: '/api/monitoring/logs',
  access: 'admin',
  summary: 'Get the latest log lines, oldest first',
  query: LogQuery,
  returns: Logs,
  run: async ({ query }, context) => await readLogs(context, query),
})

export const logStream = endpoint({
  method: 'GET',
  path: '/api/monitoring/logs/stream',
  access: 'admin',
  summary: 'Follow the log',
  query: LogFilter,
  returns: stream(logEvents),
  run: ({ query }, context) => followLogs(context, query),
})
