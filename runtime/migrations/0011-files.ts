import type { Migration } from './migration.ts'

export const files: Migration = { version: 11, name: 'files', statements: [] }
