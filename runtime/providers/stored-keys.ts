import type { Host } from '../host.ts'
import { keyPurpose, listProviderRecords } from './store.ts'

/** Opens every stored key once, so that the redaction of this process has it before it is used. */
export async function openKeys(host: Host): Promise<void> {
  // A key that cannot be opened is reported where it is used.
  for (const { id, sealed_key } of await listProviderRecords(host))
    if (sealed_key !== null) await host.secrets.open(sealed_key, keyPurpose(id)).catch(() => null)
}
