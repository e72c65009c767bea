import { Alert, Stack } from '@mantine/core'
import { IconKey, IconPlugConnected } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { Credential } from '../../../runtime/credentials/credentials.ts'
import { readable } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { EntityMenu } from '../../parts/entity-menu.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { Field } from '../../parts/schema/schema-form.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useOwnership } from '../../parts/use-is-mine.ts'
import { useParameters } from '../../parts/use-parameters.ts'

const path = '/api/credentials'

/** `?code=…&state=…`: a service sends a person back. `?name=…&kind=…`: the form for one that an import needs. */
export function Credentials() {
  const { get } = useParameters()
  const name = get('name')
  const isMine = useOwnership()
  return (
    <Stack>
      <Returned />
      <ResourcePage
        path={path}
        items="credentials"
        noun="credential"
        title="Credentials"
        icon={IconKey}
        empty="Workflows sign in at other services with credentials, by name: no secret is in a workflow, and none is shown again."
        adding={name !== ''}
        canChange={isMine}
        form={{
          ...(name && { start: { name, ...(get('kind') && { fields: { kind: get('kind') } }) } }),
          fields: (_, item) => ({ fields: (props) => <KindFields {...props} shown={item?.fields} /> }),
          layout: ['name', 'fields', 'test_url', 'hosts'],
          effect: 'What uses it fails until it names another one.',
        }}
        row={(credential) => ({
          badges: <State credential={credential} />,
          actions: isMine(credential) && <Actions credential={credential} />,
          children: (
            <>
              <Hint>
                {credential.hint}
                {credential.hosts.length > 0 && ` · for ${credential.hosts.join(', ')}`}
              </Hint>
              {credential.last_test && (
                <Hint {...(!credential.last_test.ok && { c: 'var(--mantine-color-error)' })}>
                  {credential.last_test.detail}, <Time at={credential.last_test.at} />
                </Hint>
              )}
            </>
          ),
        })}
      />
    </Stack>
  )
}

function State({ credential: { authorized, last_test } }: { credential: Credential }) {
  if (!authorized) return <StatusBadge label="Not authorized" color="yellow" />
  if (!last_test) return null
  return last_test.ok ? <StatusBadge label="Works" color="teal" /> : <StatusBadge label="Test failed" color="red" />
}

function Actions({ credential }: { credential: Credential }) {
  const { id, name, kind, fields, authorized } = credential
  const api = useApi()
  const params = { id }
  const authorize = async () => {
    const { url, redirect_uri } = await api.post(`${path}/{id}/authorize`, { params })
    const { origin } = new URL(redirect_uri)
    if (origin === location.origin) location.assign(url)
    else announce(`Open ${redirect_uri}, sign in and authorize there: services send you back to that address`)
  }
  return (
    <>
      {kind === 'oauth2' && fields.grant === 'authorization_code' && (
        <SmallButton icon={IconPlugConnected} aria-label={`Authorize ${name}`} onClick={() => void authorize()}>
          {authorized ? 'Authorize again' : 'Authorize'}
        </SmallButton>
      )}
      <ActionButton run={(client) => client.post(`${path}/{id}/test`, { params, body: {} })}>Test</ActionButton>
      <EntityMenu
        name={name}
        what="credential"
        actions={[]}
        share={{
          ...{ path, item: credential },
          text: 'They can use it in their workflows, but not see its secrets or change it.',
        }}
        remove={(client) => client.delete(`${path}/{id}`, { params })}
      />
    </>
  )
}

/** Ends an authorization with what the service has added to the address. */
function Returned() {
  const { get, set } = useParameters()
  const [code, state, error] = [get('code'), get('state'), get('error')]
  const begun = useRef(false)
  const end = useChange(
    (api, answer: { code: string; state: string }) =>
      api.post(`${path}/{id}/authorized`, {
        params: { id: answer.state.split('.')[0] ?? '' },
        body: answer,
      }),
    { done: ({ name }) => announce(`${name} was authorized`) },
  )
  const { mutate } = end
  useEffect(() => {
    if (!code || !state || begun.current) return
    begun.current = true
    mutate({ code, state })
    set({ code: '', state: '', scope: '', iss: '' })
  }, [code, state, mutate, set])
  const problem = end.error ? readable(end.error) : error && `The service answered: ${error}`
  if (!problem) return null
  return (
    <Alert color="red" role="alert" title="Not authorized">
      {problem}
    </Alert>
  )
}

type Values = Record<string, unknown>

const isShownSecret = (value: unknown) => typeof value === 'object' && value !== null && 'configured' in value

/** A stored secret is never shown, and sent only when another one was entered. */
function KindFields({ value, change, shown, ...props }: FieldProps & { shown: Values | undefined }) {
  const values = value as Values | null | undefined
  const secrets = Object.entries(shown ?? {}).filter(([, one]) => isShownSecret(one))
  const kept = shown?.kind === values?.kind ? Object.fromEntries(secrets) : {}
  return (
    <Field
      {...props}
      value={values && { ...kept, ...values }}
      change={(next, settled) =>
        change(next && Object.fromEntries(Object.entries(next).filter(([, one]) => !isShownSecret(one))), settled)
      }
    />
  )
}
