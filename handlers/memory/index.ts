import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { backfill } from './backfill.ts'
import { clusters } from './clusters.ts'
import { consolidate } from './consolidate.ts'
import { create, list, remove, show, update } from './episodes.ts'
import { generate } from './generate.ts'
import { graph } from './graph.ts'
import { job } from './jobs.ts'
import { search } from './search.ts'
import { stats } from './stats.ts'
import { undo } from './undo.ts'

export const memory: Endpoint[] = [
  list,
  create,
  show,
  update,
  remove,
  search,
  stats,
  clusters,
  graph,
  generate,
  consolidate,
  backfill,
  job,
  undo,
]
