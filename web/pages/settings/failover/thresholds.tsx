import { Alert, Button, Group, NativeSelect, NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { fieldErrors, readable } from '../../../api/error.ts'
import { type BackupChange, type BackupView, backupQuery } from '../../../api/providers.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'

const bothOut = [
  { value: 'pause', label: 'Wait until one of them has room' },
  { value: 'keep_going', label: 'Keep going with the first one' },
]

const percents = [
  { name: 'five_hour_threshold_pct', label: 'Switch at, of 5 hours' },
  { name: 'seven_day_threshold_pct', label: 'Switch at, of 7 days' },
  { name: 'return_below_pct', label: 'Return below' },
] as const

export function Thresholds({ settings }: { settings: BackupView }) {
  const { defaults } = settings
  const [changes, setChanges] = useState<BackupChange>({})
  const save = useSave(() => setChanges({}))
  const errors = fieldErrors(save.error)
  const values = { ...settings, ...changes }
  const change = (more: BackupChange) => setChanges({ ...changes, ...more })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changes)
  }
  return (
    <Stack component="form" onSubmit={submit} px="md" pb="md">
      {save.isError && Object.keys(errors).length === 0 && (
        <Alert color="red" role="alert">
          {readable(save.error)}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {percents.map(({ name, label }) => (
          <NumberInput
            key={name}
            label={label}
            description={`Shipped with ${defaults[name]} %`}
            suffix=" %"
            min={0}
            max={100}
            error={errors[name]}
            value={values[name]}
            onChange={(value) => change({ [name]: Number(value) })}
          />
        ))}
      </SimpleGrid>
      <Switch
        label="Return by itself"
        description="As soon as the first provider has room again"
        checked={values.auto_return}
        onChange={(event) => change({ auto_return: event.currentTarget.checked })}
      />
      <NativeSelect
        label="When the backup is used up too"
        data={bothOut}
        value={values.both_out}
        error={errors.both_out}
        onChange={(event) => change({ both_out: event.currentTarget.value as BackupView['both_out'] })}
      />
      <Group justify="flex-end">
        <Button type="submit" loading={save.isPending} disabled={Object.keys(changes).length === 0}>
          Save
        </Button>
      </Group>
    </Stack>
  )
}

function useSave(done: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (changes: BackupChange) => api.put('/api/providers/backup', { body: changes }),
    meta: { shown: true },
    onSuccess(saved) {
      queries.setQueryData(backupQuery(api).queryKey, saved)
      announce('The thresholds are saved')
      done()
    },
  })
}
