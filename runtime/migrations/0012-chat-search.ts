import type { Migration } from './migration.ts'

export const chatSearch: Migration = { version: 12, name: 'chat search', statements: [] }
