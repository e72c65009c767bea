import { z } from 'zod'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { triggerChain } from '../../runtime/scheduler/chain-runs.ts'
import { chains } from '../../runtime/scheduler/chains.ts'

export const { list, create, show, remove } = endpointsOf({
  ...chains,
  more: { count: z.int() },
  async list(context, page) {
    const { rows, total } = await chains.list(context, page)
    return { rows, count: rows.length, total }
  },
})

export const trigger = verbOf(chains, 'trigger', {
  summary: 'Start the first jobs of a chain now',
  returns: z.object({ chain_run_id: z.string(), run_ids: z.array(z.string()) }),
  run: triggerChain,
})
