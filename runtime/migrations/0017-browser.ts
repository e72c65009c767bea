import type { Migration } from './migration.ts'

export const browser: Migration = { version: 17, name: 'browser', statements: [] }
