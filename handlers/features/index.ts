import { list } from './features.ts'
import * as packs from './packs.ts'

export const features = [list, ...Object.values(packs)]
