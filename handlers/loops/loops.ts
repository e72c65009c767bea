import { z } from 'zod'
import { lastEventId } from '../../runtime/events/stream.ts'
import { notFound } from '../../runtime/fault.ts'
import { endpointsOf, logOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery, searchText, statusFilter } from '../../runtime/http/page.ts'
import { stream } from '../../runtime/http/returns.ts'
import { removeLoop } from '../../runtime/loops/control.ts'
import { followLoop, streamEvents } from '../../runtime/loops/follow.ts'
import { findRun, listIterations, listLoops, listRuns, publicIteration } from '../../runtime/loops/loop-store.ts'
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

const loops = {
  path: '/api/loops',
  items: 'loops',
  summaries: {
    list: 'List loops, the last changed first',
    create: 'Create a loop; it does not start',
    show: 'Get a loop with the iterations of its latest run',
    update: 'Change a loop; the next iteration uses the changes',
    remove: 'Stop a loop and delete it with its runs',
  },
  New: NewLoop,
  Changes: LoopChanges,
  Row: Loop,
  Details: LoopDetails,
  query: pageQuery().extend({
    status: statusFilter(LoopStatus.options),
    search: searchText,
  }),
  more: { status_counts: z.record(LoopStatus, z.int()) },
  list: listLoops,
  add: addLoop,
  require: requireShownLoop,
  show: showLoop,
  edit: editLoop,
  remove: removeLoop,
} as const

export const { list, create, show, update, remove } = endpointsOf(loops)

export const runs = logOf(loops, 'runs', {
  summary: 'List the runs of a loop, newest first',
  item: LoopRun,
  rows: listRuns,
})

export const showRun = endpoint('GET /api/loops/{id}/runs/{run_id}', {
  summary: 'Get a run with its iterations',
  returns: LoopRunDetails,
  async run({ params }, context) {
    await requireShownLoop(context, params.id)
    const run = await findRun(context, params.id, params.run_id)
    if (!run) throw notFound(`The run ${params.run_id}`)
    return { ...run, iterations: (await listIterations(context, run.id)).map(publicIteration) }
  },
})

export const events = endpoint('GET /api/loops/{id}/events', {
  summary: 'Follow a loop: a snapshot, then every change until its run has ended',
  returns: stream(streamEvents),
  async run({ params, request }, context) {
    await requireShownLoop(context, params.id)
    return followLoop(context, params.id, lastEventId(request))
  },
})
