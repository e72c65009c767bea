import type { Migration } from './migration.ts'

export const memoryVectors: Migration = { version: 13, name: 'memory vectors', statements: [] }
