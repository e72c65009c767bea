import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { judgePrices } from '../../adapters/node/cli/doctor.ts'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

let data: string
let key: string

beforeAll(async () => {
  data = dataFolder()
  const daemon = await startProcess(data)
  key = (await setUpProcess(daemon)).key
  await hearthd(data, ['backup'])
  daemon.signal('SIGTERM')
  await daemon.ended
})

const run = (...words: string[]) => hearthd(data, ['doctor', ...words])
interface Report {
  findings: { name: string; state: string; repair: string | null }[]
  repaired: string[]
}
const report = async (...words: string[]) => JSON.parse((await run('--json', ...words)).stdout) as Report
const finding = ({ findings }: Report, name: string) => findings.find((found) => found.name === name)

test('repairs are explained, and done only if they are agreed to', async () => {
  const left = join(data, 'backups', 'hearthd-20260101T000000000Z-manual.db.partial')
  mkdirSync(join(data, 'backups'), { recursive: true })
  writeFileSync(left, 'half a backup')
  chmodSync(join(data, 'master.key'), 0o644)

  const seen = await report()
  expect(finding(seen, 'leftovers')).toMatchObject({
    state: 'warning',
    repair: expect.stringContaining('Delete 1'),
  })
  expect(finding(seen, 'master key')?.repair).toContain('Remove the access of other users')
  expect((await run()).stdout).toContain('Run hearthd doctor --yes to make these repairs')
  expect(existsSync(left)).toBe(true)

  const after = await report('--yes')
  expect(after.repaired).toHaveLength(2)
  expect([finding(after, 'leftovers')?.state, finding(after, 'master key')?.state]).toEqual(['ok', 'ok'])
  expect(existsSync(left)).toBe(false)
})

test('variables that the start ignores are reported', async () => {
  const env = { SERVICE_PROT: '1', OTEL_EXPORTER_OTLP_ENDPOINT: 'not a URL' }
  const { stdout } = await hearthd(data, ['doctor'], { env })
  expect(stdout).toMatch(
    /environment +SERVICE_PROT is not a variable of hearthd; OTEL_EXPORTER_OTLP_ENDPOINT cannot be read and is ignored/,
  )
})

test('built-in prices that are older than 90 days are reported', () => {
  expect(judgePrices('2026-01-01', Date.parse('2026-04-01'))).toMatchObject({ state: 'ok' })
  expect(judgePrices('2026-01-01', Date.parse('2026-04-02'))).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('91 days old'),
  })
})

test('a bundle is written without a credential', async () => {
  const file = join(data, 'bundle.json')
  expect((await run('--bundle', file)).stdout).toContain(file)
  const text = readFileSync(file, 'utf8')
  expect(JSON.parse(text)).toMatchObject({
    diagnostics: { format: 'hearthd.diagnostics', rows: { users: 1 } },
  })
  expect(text).not.toMatch(new RegExp(`${key}|svc_[0-9a-f]{8}|sess_[0-9a-f]{8}|correct horse`))
})

const damages: [string, (bytes: Buffer) => Buffer | string][] = [
  ['no database at all', () => 'no database at all'],
  ['pages overwritten, which makes the check itself fail', (bytes) => bytes.fill(7, 40_960, 200_000)],
]

test.each(damages)('a damaged database is replaced by the last good backup: %s', async (_, damage) => {
  const path = join(data, 'hearthd.db')
  writeFileSync(path, damage(readFileSync(path)))
  const seen = await report()
  expect(finding(seen, 'database')).toMatchObject({
    state: 'failed',
    repair: expect.stringContaining('last good backup'),
  })
  const after = await report('--yes')
  expect(finding(after, 'database')?.state).toBe('ok')
})
