import { Badge, Group, Select, Stack } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import type { IssuedKey } from '../../../runtime/auth/schema.ts'
import { announce } from '../../parts/announce.ts'
import { DangerButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { Time, When } from '../../parts/time.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'

const path = '/api/auth/keys'
const effect = 'Programs that use this key lose access immediately'

export function Keys() {
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  return (
    <Stack>
      {issued && <SecretOnce secret={issued.key} what={`key “${issued.name}”`} />}
      <ResourcePage
        path={path}
        items="keys"
        noun="API key"
        title="API keys"
        icon={IconKey}
        empty="Scripts and other programs sign in with a key."
        add="New key"
        canChange={() => false}
        made={(key) => setIssued(key as IssuedKey)}
        form={{ verb: 'Create', fields: { expires_at: (props) => <ExpiryField {...props} /> } }}
        row={({ id, name, scopes, description, ...entry }) => ({
          badges: scopes.map((scope) => (
            <Badge key={scope} variant="default">
              {scope}
            </Badge>
          )),
          actions: (
            <>
              <ConfirmByName
                name={name}
                what="key"
                verb="Rotate"
                effect={`${effect} until they use the new one.`}
                run={(api) => api.post(`${path}/{id}/rotate`, { params: { id } }).then(setIssued)}
              >
                {(ask) => <SmallButton onClick={ask}>Rotate</SmallButton>}
              </ConfirmByName>
              <ConfirmByName
                name={name}
                what="key"
                verb="Revoke"
                effect={`${effect}.`}
                run={(api) => api.delete(`${path}/{id}`, { params: { id } })}
                done={() => {
                  setIssued(null)
                  announce(`${name} was revoked`)
                }}
              >
                {(ask) => <DangerButton onClick={ask}>Revoke</DangerButton>}
              </ConfirmByName>
            </>
          ),
          children: (
            <>
              {description && <Muted>{description}</Muted>}
              <Group gap={4} wrap="nowrap">
                <Hint>
                  <span className="mono">{entry.prefix}…</span> · created <Time at={entry.created_at} />
                  <When label="used" at={entry.last_used_at} otherwise=" · never used" />
                  <When label="expires" at={entry.expires_at} />
                </Hint>
                <CopyButton value={id} what="key ID" />
              </Group>
            </>
          ),
        })}
      />
    </Stack>
  )
}

const day = 24 * 60 * 60 * 1000

/** In days. */
const lifetimes = [
  { value: '', label: 'Never' },
  { value: '1', label: 'In a day' },
  { value: '7', label: 'In a week' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

/** When the key expires, as the time from now. */
function ExpiryField({ label, change, error }: FieldProps) {
  const [days, setDays] = useState('')
  const choose = (next: string) => {
    setDays(next)
    change(next ? new Date(Date.now() + Number(next) * day).toISOString() : undefined, true)
  }
  return (
    <Select
      label={label}
      data={lifetimes}
      value={days}
      error={error}
      allowDeselect={false}
      onChange={(next) => choose(next ?? '')}
    />
  )
}
