import type { Migration } from './migration.ts'

export const scheduler: Migration = { version: 16, name: 'scheduler', statements: [] }
