import { PasswordInput, Stack, TextInput } from '@mantine/core'
import type { Channel, PlatformInfo } from '../../../runtime/channels/schema.ts'
import { required } from '../../parts/form.tsx'

interface CredentialFieldsProps {
  platform: PlatformInfo
  /** The stored credentials; absent for a new channel. */
  stored?: Channel['credentials']
  input: (path: string) => object
}

/** The fields of the platform's credentials. A stored secret is kept if its field is empty. */
export function CredentialFields({ platform, ...props }: CredentialFieldsProps) {
  const [shown, rare] = [false, true].map((rare) =>
    platform.credentials
      .filter(({ advanced }) => advanced === rare)
      .map((credential) => <CredentialField key={credential.name} credential={credential} {...props} />),
  )
  return (
    <>
      {shown}
      {rare && rare.length > 0 && (
        <details>
          <summary>More settings</summary>
          <Stack mt="sm">{rare}</Stack>
        </details>
      )}
    </>
  )
}

interface CredentialFieldProps extends Omit<CredentialFieldsProps, 'platform'> {
  credential: PlatformInfo['credentials'][number]
}

function CredentialField({ credential, stored = {}, input }: CredentialFieldProps) {
  const { name, title, description, secret, required: needed } = credential
  const known = stored[name]
  const isSet = secret && known?.configured
  const props = {
    label: title,
    description,
    autoComplete: 'off',
    ...(needed && !isSet ? required : {}),
    ...(isSet ? { placeholder: `Stored: ${known.hint ?? '…'}` } : {}),
    ...input(`credentials.${name}`),
  }
  return secret ? <PasswordInput {...props} /> : <TextInput {...props} />
}

/** The entered values. An empty field keeps a stored secret and removes any other stored value. */
export function changedCredentials(
  platform: PlatformInfo,
  entered: Record<string, string>,
  stored: Channel['credentials'] = {},
): Record<string, string | null> {
  const changes = platform.credentials.map(({ name, secret }): [string, string | null | undefined] => {
    const value = entered[name]?.trim() ?? ''
    if (value !== '') return [name, value === stored[name]?.value ? undefined : value]
    return [name, !secret && stored[name]?.configured ? null : undefined]
  })
  return Object.fromEntries(changes.filter((change): change is [string, string | null] => change[1] !== undefined))
}
