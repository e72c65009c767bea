import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Provider, ProviderId, ProviderModel } from './schema.ts'

/** What is stored of one provider; `sealed_key` is ciphertext. */
export interface ProviderRecord {
  id: ProviderId
  sealed_key: string | null
  key_hint: string | null
  base_url: string | null
  default_model: string | null
  /** The vendor's own list, once it was asked. */
  models: ProviderModel[]
  last_test: Provider['last_test']
  updated_at: string
}

type Row = Omit<ProviderRecord, 'models' | 'last_test'> & { models: string; last_test: string | null }

const toRecord = (row: Row): ProviderRecord => ({
  ...row,
  models: JSON.parse(row.models) as ProviderModel[],
  last_test: row.last_test === null ? null : (JSON.parse(row.last_test) as Provider['last_test']),
})

export async function listProviderRecords({ sql }: Pick<Host, 'sql'>): Promise<ProviderRecord[]> {
  return (await sql.read<Row>('SELECT * FROM providers ORDER BY updated_at')).map(toRecord)
}

export async function findProviderRecord(
  { sql }: Pick<Host, 'sql'>,
  id: string,
): Promise<ProviderRecord | null> {
  const [row] = await sql.read<Row>('SELECT * FROM providers WHERE id = ?', [id])
  return row ? toRecord(row) : null
}

/** Only as long as what is stored is still `old`, so that of two changes at once neither is lost. */
export const saveProviderRecord = (record: ProviderRecord, old: ProviderRecord | null): Statement => ({
  sql: `INSERT INTO providers (id, sealed_key, key_hint, base_url, default_model, models, last_test, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET sealed_key = excluded.sealed_key, key_hint = excluded.key_hint,
      base_url = excluded.base_url, default_model = excluded.default_model, last_test = excluded.last_test,
      updated_at = excluded.updated_at
    WHERE providers.updated_at = ?`,
  args: [
    record.id,
    record.sealed_key,
    record.key_hint,
    record.base_url,
    record.default_model,
    JSON.stringify(record.models),
    record.last_test === null ? null : JSON.stringify(record.last_test),
    record.updated_at,
    old?.updated_at ?? '',
  ],
  guard: 'The provider was changed at the same moment; try again',
})

export const saveTest = (id: ProviderId, test: Provider['last_test']): Statement => ({
  sql: 'UPDATE providers SET last_test = ? WHERE id = ?',
  args: [JSON.stringify(test), id],
})

export const saveModels = (id: ProviderId, models: ProviderModel[], at: string): Statement => ({
  sql: 'UPDATE providers SET models = ?, models_at = ? WHERE id = ?',
  args: [JSON.stringify(models), at, id],
})

export const deleteProviderRecord = (id: ProviderId): Statement => ({
  sql: 'DELETE FROM providers WHERE id = ?',
  args: [id],
  guard: 'This provider is not configured',
})
