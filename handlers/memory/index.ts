import { create, feedback, history, list, related, remove, restore, show, update } from './episodes.ts'
import { clusters, entityEpisodes, graph } from './graph.ts'
import { backfill, consolidate, generate, job, undo } from './jobs.ts'
import { search, stats } from './search.ts'

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
