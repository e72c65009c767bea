import * as chains from './chains.ts'
import * as insight from './insight.ts'
import * as jobs from './jobs.ts'
import * as overview from './overview.ts'
import * as runs from './runs.ts'

export const scheduler = [
  ...Object.values(jobs),
  ...Object.values(runs),
  ...Object.values(chains),
  ...Object.values(insight),
  ...Object.values(overview),
]
