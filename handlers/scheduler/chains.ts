import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { addChain, removeChain, showChain, showChains, triggerChain } from '../../runtime/scheduler/chains.ts'
import { Chain, NewChain } from '../../runtime/scheduler/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/scheduler/chains',
  summary: 'List chains of jobs, newest first',
  query: pageQuery(),
  returns: z.object({ chains: z.array(Chain), count: z.number().int(), total: z.number().int() }),
  async run({ query }, context) {
    const { chains, total } = await showChains(context, query)
    return { chains, count: chains.length, total }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/scheduler/chains',
  summary: 'Create a chain: jobs that start when others have ended',
  body: NewChain,
  returns: Chain,
  status: 201,
  async run({ body }, context) {
    return addChain(context, body)
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/scheduler/chains/{id}',
  summary: 'Get a chain with its latest run',
  returns: Chain,
  async run({ params }, context) {
    return showChain(context, params.id)
  },
})

export const remove = removal({
  path: '/api/scheduler/chains/{id}',
  summary: 'Delete a chain; its jobs are kept',
  remove: removeChain,
})

export const trigger = endpoint({
  method: 'POST',
  path: '/api/scheduler/chains/{id}/trigger',
  summary: 'Start the first jobs of a chain now',
  returns: z.object({ chain_run_id: z.string(), run_ids: z.array(z.string()) }),
  async run({ params }, context) {
    return triggerChain(context, params.id)
  },
})
