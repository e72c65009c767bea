import * as chains from './chains.ts'
import * as insight from './insight.ts'
import { create, list, pause, remove, resume, show, trigger, update } from './jobs.ts'
import { stats, status, validate } from './overview.ts'
import { parseNl } from './parse-nl.ts'
import * as runs from './runs.ts'

export const scheduler = [
  list,
  create,
  show,
  update,
  remove,
  pause,
  resume,
  trigger,
  runs.backfill,
  runs.dryRun,
  runs.list,
  runs.show,
  runs.cancel,
  runs.redeliver,
  runs.listAll,
  chains.list,
  chains.create,
  chains.show,
  chains.remove,
  chains.trigger,
  insight.stats,
  insight.calendarData,
  insight.calendarDataa,
  insight.heatmap,
  insight.suggestions,
  validate,
  parseNl,
  stats,
  status,
]
