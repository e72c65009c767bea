import { z } from 'zod'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { triggerChain } from '../../runtime/scheduler/chain-runs.ts'
import { chains } from '../../runtime/scheduler/chains.ts'

export const { create, show, remove } = endpointsOf(chains)

export const list = endpoint({
  method: 'GET',
  path: chains.path,
  summary: chains.summaries.list,
  query: pageQuery(),
  returns: z.object({ chains: z.array(chains.Row), count: z.number().int(), total: z.number().int() }),
  async run({ query }, context) {
    const { rows, total } = await chains.list(context, query)
    return { chains: rows, count: rows.length, total }
  },
})

export const trigger = verbOf(chains, 'trigger', {
  summary: 'Start the first jobs of a chain now',
  returns: z.object({ chain_run_id: z.string(), run_ids: z.array(z.string()) }),
  run: triggerChain,
})
