import { expect, test } from 'vitest'
import type { HookAction } from '../../runtime/hooks/action-schema.ts'
import { actionOf, valuesOf } from '../../web/pages/hooks/fields.tsx'
import { authOf, valuesOfAuth } from '../../web/pages/hooks/incoming-form.tsx'

const actions: HookAction[] = [
  {
    ...{ kind: 'http', method: 'PUT', url: 'https://example.org/in', body: '{{ data }}' },
    headers: { authorization: 'Bearer tea' },
  },
  { kind: 'notify', channel: 'channel', channel_id: 'chan_1', message: 'Hello' },
  { kind: 'notify', channel: 'email', channel_id: null, message: 'Hello' },
  { kind: 'agent', agent_id: null, message: 'Hello' },
  { kind: 'workflow', workflow_id: 'wf_1', input: '=data' },
]

test.each(actions)('the form keeps an action that nobody changes: $kind $channel', (action) => {
  expect(actionOf(valuesOf(action))).toEqual(action)
})

test('the header of an incoming webhook is sent in lower case, or the usual one', () => {
  const values = { header: ' X-Shop-Signature ', prefix: 'v1=', encoding: 'base64' as const }
  const { header: _, ...others } = values
  expect(authOf({ kind: 'hmac_sha256', ...values })).toEqual({
    ...{ kind: 'hmac_sha256', header: 'x-shop-signature' },
    ...others,
  })
  expect(authOf({ kind: 'token', ...values, header: '' })).toEqual({
    kind: 'token',
    header: 'x-webhook-token',
  })
  expect(authOf({ kind: 'github', ...values })).toEqual({ kind: 'github' })
  const token = { kind: 'token', header: 'x-webhook-token' } as const
  expect(valuesOfAuth(token)).toEqual({ header: '', prefix: '', encoding: 'hex' })
  const own = { kind: 'hmac_sha256', header: 'x-own', prefix: 'v1=', encoding: 'base64' } as const
  expect(authOf({ ...own, ...valuesOfAuth(own) })).toEqual(own)
})
