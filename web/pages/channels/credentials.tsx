import { PasswordInput, TextInput } from '@mantine/core'
import type { Channel, PlatformInfo } from '../../../runtime/channels/schema.ts'
import { required } from '../../parts/form.tsx'

interface CredentialFieldsProps {
  platform: PlatformInfo
  /** The stored credentials; absent for a new channel. */
  stored?: Channel['credentials']
  input: (path: string) => object
}

/** The fields of the platform's credentials. A stored secret is kept if its field is empty. */
export const CredentialFields = ({ platform, stored = {}, input }: CredentialFieldsProps) =>
  platform.credentials.map(({ name, title, description, secret, required: needed }) => {
    const known = stored[name]
    const isSet = secret && known?.configured
    const props = {
      label: title,
      description,
      ...(needed && !isSet ? required : {}),
      ...(isSet ? { placeholder: `Stored: ${known.hint ?? '…'}` } : {}),
      ...input(`credentials.${name}`),
    }
    return secret ? (
      <PasswordInput key={name} autoComplete="off" {...props} />
    ) : (
      <TextInput key={name} autoComplete="off" {...props} />
    )
  })

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
  return Object.fromEntries(
    changes.filter((change): change is [string, string | null] => change[1] !== undefined),
  )
}
