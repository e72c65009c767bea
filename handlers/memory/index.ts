import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { clusters } from './clusters.ts'
import { create, list, remove, show, update } from './episodes.ts'
import { graph } from './graph.ts'
import { search } from './search.ts'
import { stats } from './stats.ts'

export const memory: Endpoint[] = [list, create, show, update, remove, search, stats, clusters, graph]
