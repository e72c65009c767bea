import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  AutomationRuns,
  listAutomationRuns,
  listAutomations,
  PricedAutomation,
} from '../../runtime/monitoring/automations.ts'

export const list = endpoint('GET /api/automations', {
  summary: 'List jobs, chains, loops, workflows, hooks and incoming webhooks by what starts them',
  returns: z.object({ automations: z.array(PricedAutomation), total: z.int() }),
  async run(_, context) {
    const automations = await listAutomations(context)
    return { automations, total: automations.length }
  },
})

export const runs = endpoint('GET /api/automations/runs', {
  summary: 'List the latest runs of all automations',
  query: z.object({ state: z.enum(['open', 'failed', 'all']).default('all') }),
  returns: AutomationRuns,
  run: async ({ query }, context) => ({ runs: await listAutomationRuns(context, query.state) }),
})
