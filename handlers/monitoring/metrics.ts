import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import { updateGauges } from '../../runtime/monitoring/health.ts'

export const prometheus = endpoint({
  method: 'GET',
  path: '/api/metrics/prometheus',
  summary: 'Metrics in the text format of Prometheus',
  access: 'monitor',
  returns: file('text/plain; version=0.0.4; charset=utf-8'),
  async run(_, context) {
    await updateGauges(context)
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return new Response(await context.metrics.text(), { headers })
  },
})
