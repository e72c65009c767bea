import { Button, Group, NumberInput, Select, Stack, Switch, TextInput } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useState } from 'react'
import type { ActionName } from '../../../api/browser.ts'
import { useDesk } from '../desk.tsx'
import { type ActField, actionOf, fieldsOf, type Given, nothingGiven } from './act-fields.ts'
import { titleOf } from './describe.ts'

const names = (Object.keys(fieldsOf) as ActionName[]).map((value) => ({ value, label: titleOf(value) }))

/** Any act, by number of the snapshot or by selector. */
export function ActForm() {
  const { act, acting } = useDesk()
  const [name, setName] = useState<ActionName>('click')
  const [given, setGiven] = useState(nothingGiven)
  const change = (some: Partial<Given>) => setGiven((before) => ({ ...before, ...some }))
  return (
    <form
      aria-label="Do something"
      onSubmit={(event) => {
        event.preventDefault()
        act(actionOf(name, given))
      }}
    >
      <Stack gap="xs" p="sm">
        <Select
          size="xs"
          label="Do"
          data={names}
          value={name}
          allowDeselect={false}
          searchable
          onChange={(next) => next && setName(next)}
        />
        {fieldsOf[name].map((field) => (
          <Field key={field} field={field} given={given} change={change} />
        ))}
        <Group justify="flex-end">
          <Button
            type="submit"
            size="xs"
            loading={acting !== null}
            leftSection={<IconPlayerPlay size={14} />}
          >
            Do it
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const labels = { url: 'Address', text: 'Text', value: 'Option', key: 'Key' } as const
const placeholders = { url: 'https://…', text: '', value: '', key: 'Enter, Control+A' } as const
const elementHint = '12, or a selector such as #save or text=Save'

interface FieldProps {
  field: ActField
  given: Given
  change: (some: Partial<Given>) => void
}

function Field({ field, given, change }: FieldProps) {
  if (field === 'accept')
    return (
      <Switch
        size="xs"
        label="Accept the dialog"
        checked={given.accept}
        onChange={(event) => change({ accept: event.currentTarget.checked })}
      />
    )
  if (field === 'deltas') return <Deltas given={given} change={change} />
  const isElement = field === 'element' || field === 'to'
  return (
    <TextInput
      size="xs"
      label={field === 'element' ? 'Element' : field === 'to' ? 'Drop on' : labels[field]}
      placeholder={isElement ? elementHint : placeholders[field]}
      value={given[field]}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
    />
  )
}

const Deltas = ({ given, change }: Omit<FieldProps, 'field'>) => (
  <Group grow gap="xs">
    {(['delta_x', 'delta_y'] as const).map((name) => (
      <NumberInput
        key={name}
        size="xs"
        label={name === 'delta_x' ? 'To the right' : 'Down'}
        suffix=" px"
        value={given[name]}
        onChange={(next) => change({ [name]: Number(next) || 0 })}
      />
    ))}
  </Group>
)
