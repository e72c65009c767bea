import type { Host } from '../host.ts'
import type { Fields } from './kinds.ts'
import { fieldsPurpose, tokensPurpose } from './purposes.ts'

type Sealing = Pick<Host, 'secrets'>

export interface Tokens {
  access_token: string
  refresh_token?: string
}

export const sealFields = ({ secrets }: Sealing, fields: Fields): Promise<string> =>
  secrets.seal(JSON.stringify(fields), fieldsPurpose)

export const openFields = async ({ secrets }: Sealing, stored: { sealed_fields: string }): Promise<Fields> =>
  JSON.parse(await secrets.open(stored.sealed_fields, fieldsPurpose)) as Fields

export const sealTokens = ({ secrets }: Sealing, tokens: Tokens): Promise<string> =>
  secrets.seal(JSON.stringify(tokens), tokensPurpose)

export const openTokens = async (
  { secrets }: Sealing,
  { sealed_tokens }: { sealed_tokens: string | null },
): Promise<Tokens | null> =>
  sealed_tokens === null ? null : (JSON.parse(await secrets.open(sealed_tokens, tokensPurpose)) as Tokens)
