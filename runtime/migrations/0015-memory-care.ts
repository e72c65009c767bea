import type { Migration } from './migration.ts'

export const memoryCare: Migration = { version: 15, name: 'memory care', statements: [] }
