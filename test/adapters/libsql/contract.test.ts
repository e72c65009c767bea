import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { openStore } from '../../../adapters/libsql/open.ts'
import { createMemorySql } from '../../../adapters/memory/sql.ts'
import { sqlContract } from '../../contracts/sql.ts'
import { startLibsqlServer } from '../../fixtures/libsql-server/server.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'hearthd-sql-'))

describe('a local file', () => {
  sqlContract(async () => {
    const data_dir = folder()
    const store = await openStore({ data_dir })
    const end = async () => {
      await store.close()
      rmSync(data_dir, { recursive: true })
    }
    return { sql: store.sql, end }
  })
})

describe('an encrypted local file', () => {
  sqlContract(async () => {
    const data_dir = folder()
    const store = await openStore({ data_dir, encryption_key: 'a key for this test' })
    const end = async () => {
      await store.close()
      rmSync(data_dir, { recursive: true })
    }
    return { sql: store.sql, end }
  })
})

describe('a libSQL server', () => {
  sqlContract(async () => {
    const data_dir = folder()
    const server = await startLibsqlServer(join(data_dir, 'server.db'), 'token')
    const store = await openStore({ data_dir, url: server.url, auth_token: 'token' })
    const end = async () => {
      await store.close()
      await server.close()
      rmSync(data_dir, { recursive: true })
    }
    return { sql: store.sql, end }
  })
})

describe('in memory', () => {
  sqlContract(async () => {
    const sql = createMemorySql()
    return { sql, end: () => sql.close() }
  })
})
