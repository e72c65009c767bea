import { z } from 'zod'
import type { Context } from '../context.ts'
import { invalidField } from '../fault.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { errorMessage } from '../thrown.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import { type Credential, credentials, type StoredCredential } from './credentials.ts'
import { tryDatabase } from './database.ts'
import { fetchAs, withoutSecrets } from './use.ts'

const timeout = 15 * second

export const TestRequest = z.object({
  url: z.string().max(2_000).optional().meta({
    title: 'Address',
    description: 'On a host of the credential. Default: its address for the test',
  }),
})

/** Uses a credential once, and stores whether it works. */
export async function testCredential(
  context: Context,
  id: string,
  { url: given = '' }: z.output<typeof TestRequest>,
): Promise<Credential> {
  const credential = await credentials.requireOwn(context, id)
  const url = given || credential.test_url
  const isDatabase = credential.kind === 'database'
  if (url === '' && !isDatabase) throw invalidField('url', 'is required, because there is no address for the test')
  const outcome = await within(context, { milliseconds: timeout }, (signal) =>
    isDatabase ? tryDatabase({ ...context, signal }, credential) : request({ ...context, signal }, credential, url),
  ).catch((thrown: unknown) => {
    context.signal.throwIfAborted()
    return { ok: false, detail: reasonOf(thrown) }
  })
  const last_test = { at: iso(context.clock.now()), ...withoutSecrets(context, outcome) }
  return credentials.change(context, id, () => ({ last_test }), { action: 'credential.tested' })
}

interface Outcome {
  ok: boolean
  detail: string
}

async function request(context: Context, credential: StoredCredential, url: string): Promise<Outcome> {
  const { status, body } = await fetchAs(context, credential, url, { signal: context.signal })
  await body?.cancel()
  const refused = status === 401 || status === 403
  const host = URL.parse(url)?.host ?? ''
  return {
    ok: status < 400,
    detail: `${host} answered ${status}${refused ? ': it does not accept the credential' : ''}`,
  }
}

function reasonOf(thrown: unknown): string {
  if (thrown instanceof OutboundBlocked) return `The guard for outgoing requests refused it: ${thrown.message}`
  const { cause } = thrown as { cause?: unknown }
  return errorMessage(cause ?? thrown).slice(0, 500)
}
