import { z } from 'zod'
import { lastEventId } from '../../runtime/events/stream.ts'
import { notFound } from '../../runtime/fault.ts'
import { logOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { stream } from '../../runtime/http/returns.ts'
import { removeLoop } from '../../runtime/loops/control.ts'
import { followLoop, streamEvents } from '../../runtime/loops/follow.ts'
import {
  findRun,
  listIterations,
  listLoops,
  listRuns,
  publicIteration,
  publicLoop,
} from '../../runtime/loops/loop-store.ts'
import { addLoop, editLoop, requireShownLoop, showLoop } from '../../runtime/loops/loops.ts'
import {
  Loop,
  LoopChanges,
  LoopDetails,
  LoopRun,
  LoopRunDetails,
  LoopStatus,
  NewLoop,
} from '../../runtime/loops/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/loops',
  summary: 'List loops, the last changed first',
  query: pageQuery().extend({
    status: z.enum(['all', ...LoopStatus.options]).default('all'),
    search: z.string().max(200).optional(),
  }),
  returns: listOf('loops', Loop).extend({ status_counts: z.record(LoopStatus, z.number().int()) }),
  async run({ query }, context) {
    const { status, limit, offset } = query
    const found = await listLoops(context, { ...query, status: status === 'all' ? undefined : status })
    return { ...found, loops: found.loops.map(publicLoop), limit, offset }
  },
})

export const create = endpoint({
  method: 'POST',
  path: '/api/loops',
  summary: 'Create a loop; it does not start',
  body: NewLoop,
  returns: Loop,
  status: 201,
  run: ({ body }, context) => addLoop(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/loops/{id}',
  summary: 'Get a loop with the iterations of its latest run',
  returns: LoopDetails,
  run: ({ params }, context) => showLoop(context, params.id),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/loops/{id}',
  summary: 'Change a loop; the next iteration uses the changes',
  body: LoopChanges,
  before: ({ params }, context) => requireShownLoop(context, params.id),
  returns: Loop,
  run: ({ params, body }, context) => editLoop(context, params.id, body),
})

export const remove = removal({
  path: '/api/loops/{id}',
  summary: 'Stop a loop and delete it with its runs',
  remove: removeLoop,
})

export const runs = logOf({ path: '/api/loops', require: requireShownLoop }, 'runs', {
  summary: 'List the runs of a loop, newest first',
  item: LoopRun,
  rows: listRuns,
})

export const showRun = endpoint({
  method: 'GET',
  path: '/api/loops/{id}/runs/{run_id}',
  summary: 'Get a run with its iterations',
  returns: LoopRunDetails,
  async run({ params }, context) {
    await requireShownLoop(context, params.id)
    const run = await findRun(context, params.id, params.run_id)
    if (!run) throw notFound(`The run ${params.run_id}`)
    return { ...run, iterations: (await listIterations(context, run.id)).map(publicIteration) }
  },
})

export const events = endpoint({
  method: 'GET',
  path: '/api/loops/{id}/events',
  summary: 'Follow a loop: a snapshot, then every change until its run has ended',
  returns: stream(streamEvents),
  async run({ params, request }, context) {
    await requireShownLoop(context, params.id)
    return followLoop(context, params.id, lastEventId(request))
  },
})
