import { endpoint } from '../../runtime/http/endpoint.ts'
import { Now, readNow } from '../../runtime/monitoring/now.ts'

export const now = endpoint('GET /api/monitoring/now', {
  summary: 'Get what runs, what failed in the last three days, and what today has cost',
  returns: Now,
  run: (_, context) => readNow(context),
})
