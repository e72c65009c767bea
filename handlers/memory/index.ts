import { backfill } from './backfill.ts'
import { clusters } from './clusters.ts'
import { consolidate } from './consolidate.ts'
import { episodes as entityEpisodes } from './entities.ts'
import { create, list, remove, show, update } from './episodes.ts'
import { feedback } from './feedback.ts'
import { generate } from './generate.ts'
import { graph } from './graph.ts'
import { history, restore } from './history.ts'
import { job } from './jobs.ts'
import { related } from './related.ts'
import { search } from './search.ts'
import { stats } from './stats.ts'
import { undo } from './undo.ts'

export const memory = [
  list,
  create,
  show,
  update,
  remove,
  related,
  feedback,
  history,
  restore,
  search,
  stats,
  clusters,
  graph,
  entityEpisodes,
  generate,
  consolidate,
  backfill,
  job,
  undo,
]
