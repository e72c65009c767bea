import { Fieldset, Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core'
import type { Draft, Fields } from './draft.ts'

const channels = [
  { value: 'none', label: 'Nowhere: read it here' },
  { value: 'chat', label: 'A chat' },
  { value: 'email', label: 'Email' },
  { value: 'webhook', label: 'A webhook' },
]

const formats = [
  { value: 'text', label: 'Text' },
  { value: 'markdown', label: 'Markdown' },
  { value: 'json', label: 'JSON' },
  { value: 'summary', label: 'A summary' },
]

/** Where the result is brought to. */
export function DeliveryFields({ values, errors, change }: Fields) {
  const { delivery } = values
  const { channel } = delivery
  const set = (changes: Partial<Draft['delivery']>) => change({ delivery: { ...delivery, ...changes } })
  const known = channels.some(({ value }) => value === channel)
  return (
    <Fieldset legend="Where the result goes" p="sm">
      <Stack gap="sm">
        <Group grow align="flex-start">
          <Select
            label="Deliver to"
            data={known ? channels : [...channels, { value: channel, label: channel }]}
            value={channel}
            error={errors['delivery.channel']}
            allowDeselect={false}
            onChange={(next) => next && set({ channel: next })}
          />
          <Select
            label="Format"
            data={formats}
            value={delivery.format}
            error={errors['delivery.format']}
            allowDeselect={false}
            disabled={channel === 'none'}
            onChange={(format) => set({ format: format as Draft['delivery']['format'] })}
          />
        </Group>
        {(channel === 'email' || channel === 'chat') && (
          <TextInput
            label={channel === 'email' ? 'Addresses' : 'Conversation'}
            description={
              channel === 'email'
                ? 'With commas between; empty: the sender’s own'
                : 'Its id; empty: one conversation for all results of this job'
            }
            error={errors['delivery.to']}
            value={delivery.to ?? ''}
            onChange={(event) => set({ to: event.currentTarget.value || null })}
          />
        )}
        {channel === 'webhook' && (
          <>
            <TextInput
              type="url"
              label="Address"
              required
              placeholder="https://example.com/hook"
              error={errors['delivery.url']}
              value={delivery.url ?? ''}
              onChange={(event) => set({ url: event.currentTarget.value || null })}
            />
            <PasswordInput
              label="Secret"
              description="Signs what is sent; kept sealed"
              autoComplete="off"
              error={errors['delivery.secret']}
              value={delivery.secret ?? ''}
              onChange={(event) => set({ secret: event.currentTarget.value || null })}
            />
          </>
        )}
      </Stack>
    </Fieldset>
  )
}
