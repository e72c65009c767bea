import * as resource from './files.ts'

export const files = Object.values(resource)
