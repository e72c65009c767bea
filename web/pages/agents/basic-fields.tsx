import { Stack, Switch, Textarea, TextInput } from '@mantine/core'
import type { Fields } from './agent-form.tsx'

export function BasicFields({ values, errors, change }: Fields) {
  return (
    <Stack>
      <TextInput
        label="Name"
        required
        maxLength={100}
        error={errors.name}
        value={values.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TextInput
        label="Description"
        description="For you: what this agent is good at"
        maxLength={2_000}
        error={errors.description}
        value={values.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
      />
      <TextInput
        label="Symbol"
        description="One emoji or two letters; empty takes the initials"
        maxLength={8}
        error={errors.avatar}
        value={values.avatar ?? ''}
        onChange={(event) => change({ avatar: event.currentTarget.value || null })}
      />
      <Textarea
        label="Instructions"
        description="Who it is and how it works: sent before every conversation"
        autosize
        minRows={6}
        maxRows={18}
        maxLength={32_768}
        error={errors.system_prompt}
        value={values.system_prompt}
        onChange={(event) => change({ system_prompt: event.currentTarget.value })}
      />
      <Switch
        label="Enabled"
        description="An agent that is off starts nothing"
        checked={values.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
    </Stack>
  )
}
