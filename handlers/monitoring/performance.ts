import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  Performance,
  PerformanceHistory,
  PerformanceHistoryQuery,
  PerformanceQuery,
  readPerformance,
  readPerformanceHistory,
} from '../../runtime/monitoring/performance.ts'
import { readSystem, System } from '../../runtime/monitoring/system.ts'

export const performance = endpoint('GET /api/monitoring/performance', {
  owner: 'none',
  summary: 'Get requests, errors and response times by route and by model',
  query: PerformanceQuery,
  returns: Performance,
  run: ({ query }, context) => readPerformance(context, query.period),
})

export const performanceHistory = endpoint('GET /api/monitoring/performance/history', {
  owner: 'none',
  summary: 'Get requests, errors and response times by minute, hour or day',
  query: PerformanceHistoryQuery,
  returns: PerformanceHistory,
  run: ({ query }, context) => readPerformanceHistory(context, query),
})

export const system = endpoint('GET /api/monitoring/system', {
  owner: 'none',
  summary: 'Get the current state of processor, memory, disk, process and database',
  returns: System,
  run: (_, context) => readSystem(context),
})
