import { Fieldset, Select, Stack, TextInput } from '@mantine/core'
import type { Draft, Fields } from './draft.ts'

type Type = NonNullable<Draft['condition']>['type']

const types: Record<Type, { label: string; field: string; hint: string; placeholder: string }> = {
  previous_status: {
    label: 'the run before ended so',
    field: 'Status',
    hint: 'succeeded, failed, timed_out, cancelled or lost',
    placeholder: 'succeeded',
  },
  http: {
    label: 'an address answers',
    field: 'Address',
    hint: 'Runs when it answers with a success (2xx)',
    placeholder: 'https://example.com/ready',
  },
  file_changed: {
    label: 'a file has changed',
    field: 'File',
    hint: 'Runs when it is other than it was at the run before',
    placeholder: 'notes/today.md',
  },
  expression: {
    label: 'an expression holds',
    field: 'Expression',
    hint: 'JSONata over job, last_run, now, memory and system',
    placeholder: 'last_run.status != "failed"',
  },
}

/** What must hold before a run begins; otherwise it is skipped, and its row says why. */
export function ConditionFields({ values: { condition }, errors, change }: Fields) {
  const words = condition && types[condition.type]
  const choose = (type: string | null) =>
    change({ condition: type ? { type: type as Type, expression: '' } : null })
  return (
    <Fieldset legend="Only when" p="sm">
      <Stack gap="sm">
        <Select
          label="Run only when"
          placeholder="Always"
          clearable
          data={Object.entries(types).map(([value, { label }]) => ({ value, label }))}
          value={condition?.type ?? null}
          error={errors.condition ?? errors['condition.type']}
          onChange={choose}
        />
        {condition && words && (
          <TextInput
            label={words.field}
            description={words.hint}
            placeholder={words.placeholder}
            required
            spellCheck={false}
            error={errors['condition.expression']}
            value={condition.expression}
            onChange={(event) =>
              change({ condition: { ...condition, expression: event.currentTarget.value } })
            }
          />
        )}
      </Stack>
    </Fieldset>
  )
}
