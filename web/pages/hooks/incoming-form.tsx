import { useLocation } from 'wouter'
import type { StartAction } from '../../../runtime/hooks/action-schema.ts'
import type { Incoming, IncomingAuth } from '../../../runtime/hooks/incoming.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ActionFields, actionOf, fieldOf, valuesOf } from './fields.tsx'
import { authLabels } from './labels.ts'
import { ActionPreview, LatestMessage } from './messages.tsx'

const stale = ['/api/webhooks/incoming']

interface DrawerProps {
  webhook: Incoming | null
  close: () => void
}

export const IncomingDrawer = ({ webhook, close }: DrawerProps) => (
  <FormDrawer title={webhook ? `Edit ${webhook.name}` : 'New address'} close={close}>
    {({ leave }) => <IncomingForm webhook={webhook} close={leave} />}
  </FormDrawer>
)

/** The header of each kind whose header can be chosen, if the form leaves it empty. */
const defaultHeaders: Partial<Record<IncomingAuth['kind'], string>> = {
  hmac_sha256: 'x-signature-256',
  token: 'x-webhook-token',
}

interface AuthValues {
  kind: IncomingAuth['kind']
  header: string
  prefix: string
  encoding: 'hex' | 'base64'
}

/** The form values of an authentication. The usual header is left out, because each kind has another one. */
export function valuesOfAuth(auth: IncomingAuth | undefined): Omit<AuthValues, 'kind'> {
  const { kind, header = '', prefix = '', encoding = 'hex' }: Partial<AuthValues> = { ...auth }
  return { header: kind && header === defaultHeaders[kind] ? '' : header, prefix, encoding }
}

/** The authentication in the format of the API. */
export function authOf({ kind, header: given, prefix, encoding }: AuthValues): IncomingAuth {
  const header = given.trim().toLowerCase() || (defaultHeaders[kind] ?? '')
  if (kind === 'token') return { kind, header }
  return kind === 'hmac_sha256' ? { kind, header, prefix, encoding } : { kind }
}

const incomingActions = ['none', 'agent', 'message', 'workflow', 'job', 'loop', 'project'] as const

function bodyOf({
  auth: kind,
  header,
  prefix,
  encoding,
  secret,
  name,
  rate_limit,
  enabled,
  ...values
}: Values) {
  return {
    ...{ name, rate_limit, enabled },
    auth: authOf({ kind, header, prefix, encoding }),
    action: values.kind === 'none' ? null : (actionOf(values) as StartAction),
    ...(secret !== '' && { secret }),
  }
}

const initialOf = (webhook: Incoming | null) => ({
  name: webhook?.name ?? '',
  ...valuesOfAuth(webhook?.auth),
  auth: webhook?.auth.kind ?? ('github' as IncomingAuth['kind']),
  secret: '',
  rate_limit: webhook?.rate_limit ?? 60,
  enabled: webhook?.enabled ?? true,
  ...valuesOf(webhook?.action ?? null),
})
type Values = ReturnType<typeof initialOf>

function IncomingForm({ webhook, close }: DrawerProps) {
  const api = useApi()
  const [, navigate] = useLocation()
  const form = useApiForm({
    initial: initialOf(webhook),
    save(values, _, initial) {
      const body = bodyOf(values)
      return webhook
        ? api.put('/api/webhooks/incoming/{id}', {
            params: { id: webhook.id },
            body: changesTo(body, bodyOf(initial)),
          })
        : api.post('/api/webhooks/incoming', { body })
    },
    stale,
    fieldOf: (path) => fieldOf(path.replace(/^auth\./, '')),
    saved(saved) {
      close()
      if (!webhook) navigate(`/hooks/incoming/${saved.id}`)
    },
  })
  const remove = useChange(
    (current) => current.delete('/api/webhooks/incoming/{id}', { params: { id: webhook?.id ?? '' } }),
    {
      stale,
      done() {
        announce(`${webhook?.name} was deleted`)
        close()
        navigate('/hooks/incoming')
      },
    },
  )
  const { text, password, native, number, toggle } = inputsOf(form)
  return (
    <EntityForm
      form={form}
      verb={webhook ? 'Save' : 'Create address'}
      close={close}
      remove={
        webhook
          ? {
              name: webhook.name,
              what: 'address',
              effect: 'Its received messages are deleted too.',
              run: remove,
            }
          : false
      }
    >
      {text('name', 'Name', required)}
      {native('auth', 'Verified by', optionsOf(authLabels))}
      {defaultHeaders[form.values.auth] &&
        text('header', 'Header', { description: `Empty: ${defaultHeaders[form.values.auth]}` })}
      {form.values.auth === 'hmac_sha256' && (
        <>
          {text('prefix', 'Prefix', {
            description: 'Text before the signature in the header, such as sha256=',
          })}
          {native('encoding', 'Encoding', [
            { value: 'hex', label: 'Hexadecimal' },
            { value: 'base64', label: 'Base64' },
          ])}
        </>
      )}
      {form.values.auth !== 'none' &&
        password('secret', 'Secret', {
          description: webhook?.secret
            ? `Leave empty to keep the stored secret, ${webhook.secret.hint}`
            : form.values.auth === 'token'
              ? 'The value that the sender sends in the header'
              : 'The secret that the sender uses to sign',
        })}
      <ActionFields form={form} kinds={incomingActions} />
      {form.values.kind !== 'none' && (
        <Hint>
          Expressions can use body, headers, query and received_at. Agents treat values from messages as
          untrusted data.
        </Hint>
      )}
      {webhook && form.values.kind !== 'none' && (
        <>
          <ActionPreview webhook={webhook.id} action={actionOf(form.values) as StartAction} />
          <LatestMessage webhook={webhook.id} />
        </>
      )}
      {number('rate_limit', 'Messages per minute', { min: 1, max: 1_000 })}
      {toggle('enabled', 'Enabled')}
    </EntityForm>
  )
}
