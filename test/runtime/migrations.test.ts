import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMemorySql } from '../../adapters/memory/sql.ts'
import { migrations } from '../../runtime/migrations/index.ts'
import { migrate, NewerSchema, pendingMigrations } from '../../runtime/migrations/migrate.ts'

/** SHA-256 of each step. Once a release has carried a step it is never edited: add one after it. */
const hashes: Record<string, string> = {
  foundation: '8ffb30d07f982acdc56279f53c56c6ee33310abcae12d501a652d6bef25494c1',
  auth: '78f76b8c2534b90cb92cceb781f5f6070d38b93e376b3a0f1d5224b384090a13',
  settings: '927b1ec207b87d9b5b37bf90dc47b9808a9d2f247c5acf3522b961ca4d087b3b',
  providers: 'd8f47a812dec50e17866e7491d7f47d03e45c3a3d7d31005091a85308f6d3e03',
  agents: '17194cc2ce101c70a3a7fe997d6c65ac98c3a1d88b09771c75dec7a51fb5da4a',
  chat: 'df58921850f9c942674fda2d5e372b00246b48a6af878d5e1dbcd81eaf0031ad',
  memory: '09ca3d992017ee6efb547aae138f2644e6b0f8b88801b01d0ef7acecd1a4a536',
  usage: '71bd6a9a9d8013c2d92816c328acf0c7b3994cf9309a1f0b6936fc0188a41431',
  'tool servers': 'a2786dac695b2c9ef6501683037a00beafc3aa9a6ad1e232144132c37ae8ffa7',
  'check-ins': '2a93db92c7b3e8d54d27c8960881d0dd72540da13ea1af7a21f61f119b82d166',
  files: 'f059270c9a13020c1d68a15fbc8db4da64c25512ead3a4b9ff822c53216bf5b7',
  'chat search': '804c034c2aab08448214d21d5a8569d098f0f9ee1108b843147a2083f7d380a4',
  'memory vectors': '8e214648b2ccaf2ba3e53d9c0f1b482c9846ba2b22ede1e8973c13dee8fdca58',
  'memory graph': '3fcc99967cde076b028fe825b4b66d8f7291cdd287c04bc70dad1301f5dc23a1',
  'memory care': '229d7f7fe167eb30651a59cd38fabbb81e497bbf4a635bb2281f983e2b71fbec',
  scheduler: '58596230a0fcb0744df066cac09c28f434ec170acbabebb106292de85fb63d34',
  browser: '060a0a14c0e21523173a71aeefdaf07f92b0defa84817c787107df3f7a142e10',
  clusters: 'a10cf6c756784a3665cb9c3a3fa1038a1554888ef09e4d531661e5322d111c58',
  'scheduler chains': '1a7f66689bfbe284fe84e50bce7a8261af5271637732d04160605ea7e09e753d',
  'browser recordings': '06c4f5726e59ec3a617c4044692d6bc9b4ce59e7b3683385531d65d3cb2b719d',
  'memory signs': '62a4054d857ecfdb1a9949ca0c2623cb494e0a3aedf8b76978cb49c7ad2da817',
}

const now = '2026-01-05T12:00:00.000Z'

test('the steps are numbered without a gap, each once', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))
})

test.each(migrations)('the step $name is what it was', ({ name, statements }) => {
  expect(createHash('sha256').update(JSON.stringify(statements)).digest('hex')).toBe(hashes[name])
})

test('every step is applied once', async () => {
  const sql = createMemorySql()
  expect(await migrate(sql, '0.1.0', now)).toBe(migrations.length)
  expect(await migrate(sql, '0.1.0', now)).toBe(0)
  expect(await pendingMigrations(sql)).toEqual([])
})

test('a database of a newer release is refused with the version to use', async () => {
  const sql = createMemorySql()
  await migrate(sql, '0.1.0', now)
  await sql.write([{ sql: `INSERT INTO schema_migrations VALUES (9999, 'later', '7.0.0', ?)`, args: [now] }])
  const refused = pendingMigrations(sql)
  await expect(refused).rejects.toBeInstanceOf(NewerSchema)
  await expect(refused).rejects.toThrow('7.0.0')
})

test('every table is STRICT but those of the full-text search', async () => {
  const sql = createMemorySql()
  await migrate(sql, '0.1.0', now)
  const loose = await sql.read<{ name: string }>(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`,
  )
  expect(loose).toEqual([])
})
