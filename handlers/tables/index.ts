import * as rows from './rows.ts'
import * as own from './tables.ts'

export const tables = [...Object.values(own), ...Object.values(rows)]
