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
  summary: 'Events of the last 24 hours, 7 or 30 days by type',
  query: UsageQuery,
  returns: Activity,
  run: async ({ query }, context) => await readActivity(context, query.period, query.tz),
})

export const analytics = endpoint({
  method: 'GET',
  path: '/api/monitoring/analytics',
  summary: 'What was spent on jobs, projects and loops, at which times, and in the period before',
  query: UsageQuery,
  returns: Analytics,
  run: async ({ query }, context) => await readAnalytics(context, query.period, query.tz),
})

export const performance = endpoint({
  method: 'GET',
  path: '/api/monitoring/performance',
  owner: 'none',
  summary: 'Requests, errors and response times, by route and by model',
  query: PerformanceQuery,
  returns: Performance,
  run: async ({ query }, context) => await readPerformance(context, query.period),
})

export const performanceHistory = endpoint({
  method: 'GET',
  path: '/api/monitoring/performance/history',
  owner: 'none',
  summary: 'Requests, errors and response times by minute, hour or day',
  query: PerformanceHistoryQuery,
  returns: PerformanceHistory,
  run: async ({ query }, context) => await readPerformanceHistory(context, query),
})

export const system = endpoint({
  method: 'GET',
  path: '/api/monitoring/system',
  owner: 'none',
  summary: 'Processor, memory, disk, process and database now',
  returns: System,
  run: async (_, context) => await readSystem(context),
})

export const logs = endpoint({
  method: 'GET',
  path: '/api/monitoring/logs',
  access: 'admin',
  summary: 'Latest lines of the log, oldest first',
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
