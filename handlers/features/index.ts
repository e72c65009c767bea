import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { list } from './features.ts'
import * as packs from './packs.ts'

export const features: Endpoint[] = [list, ...Object.values(packs)]
