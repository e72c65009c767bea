import * as resource from './loops.ts'

export const loops = Object.values(resource)
