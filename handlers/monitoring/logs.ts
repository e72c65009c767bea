import { endpoint } from '../../runtime/http/endpoint.ts'
import { stream } from '../../runtime/http/returns.ts'
import { followLogs, LogFilter, LogQuery, Logs, logEvents, readLogs } from '../../runtime/monitoring/logs.ts'

export const logs = endpoint('GET /api/monitoring/logs', {
  access: 'admin',
  summary: 'Get the latest log lines, oldest first',
  query: LogQuery,
  returns: Logs,
  run: ({ query }, context) => readLogs(context, query),
})

export const logStream = endpoint('GET /api/monitoring/logs/stream', {
  access: 'admin',
  summary: 'Follow the log',
  query: LogFilter,
  returns: stream(logEvents),
  run: ({ query }, context) => followLogs(context, query),
})
