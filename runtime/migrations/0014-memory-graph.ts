import type { Migration } from './migration.ts'

export const memoryGraph: Migration = { version: 14, name: 'memory graph', statements: [] }
