import * as own from './credentials.ts'

export const credentials = Object.values(own)
