import { BackupError, type BackupFile, type Backups } from '../../runtime/ports/backups.ts'

export interface FakeBackups extends Backups {
  files: BackupFile[]
  /** Set to make the next copies fail. */
  failure: string | null
  restarts: number
}

/** Backups that exist only as entries of a list. */
export function fakeBackups(now: () => number): FakeBackups {
  const entry = (reason: BackupFile['reason'], folder: string | null, has_key: boolean): BackupFile => {
    const created_at = new Date(now()).toISOString()
    return {
      name: `hearthd-${created_at.replace(/[-:.]/g, '')}-${reason}.db`,
      ...{ folder, reason, created_at, bytes: 4_096, sha256: 'ab'.repeat(32) },
      ...{ release: '0.1.0', schema_version: 1, has_key, same_key: true, files: null },
    }
  }
  const fake: FakeBackups = {
    files: [],
    failure: null,
    restarts: 0,
    unsupported: null,
    list: async () => [...fake.files].reverse(),
    async create({ reason, folder, keys, onProgress }) {
      onProgress({ phase: 'copying', done_bytes: 0, total_bytes: 4_096 })
      if (fake.failure) throw new BackupError(fake.failure)
      fake.files.push(entry(reason, folder, keys))
      return fake.files.at(-1) as BackupFile
    },
    measure: async () => ({ count: 3, bytes: 9_000, skipped: 0, folders: [] }),
    verify: async () => fake.failure,
    inspect: async () => ({ schema_version: 1, release: '0.1.0', rows: { agents: 2, jobs: 0, episodes: 7 } }),
    read: async () => ({ content: new Response('the bytes').body as ReadableStream<Uint8Array>, bytes: 9 }),
    async receive() {
      fake.files.push(entry('uploaded', null, false))
      return fake.files.at(-1) as BackupFile
    },
    async remove({ name }) {
      const known = fake.files.length
      fake.files = fake.files.filter((file) => file.name !== name)
      return fake.files.length < known
    },
    async stage() {
      if (fake.failure) throw new BackupError(fake.failure)
    },
    restart() {
      fake.restarts += 1
    },
    restored: async () => null,
  }
  return fake
}
