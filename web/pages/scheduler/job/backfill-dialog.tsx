import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { fieldErrors, readable } from '../../../api/error.ts'
import { type Backfill, backfillPreviewQuery, type Job } from '../../../api/scheduler.ts'
import { useApi } from '../../../app/services.tsx'
import { announce } from '../../../parts/announce.ts'
import { counted } from '../../../parts/numbers.ts'
import { useZone } from '../../../parts/time.tsx'
import { instantOf, wallOf } from '../schedule/wall-clock.ts'

const day = 24 * 3_600_000

/** Runs the job for due times of the past; how many those are is told before. */
export function BackfillDialog({ job, close }: { job: Job; close: () => void }) {
  const api = useApi()
  const queries = useQueryClient()
  const zone = useZone()
  const [start, setStart] = useState(() => wallOf(Date.now() - 7 * day, zone))
  const [end, setEnd] = useState(() => wallOf(Date.now(), zone))
  const [span] = useDebouncedValue(spanOf(start, end, zone), 300)
  const preview = useQuery({
    ...backfillPreviewQuery(api, job.id, span ?? { start: '', end: '' }),
    enabled: span !== null,
    placeholderData: keepPreviousData,
  })
  const begin = useMutation({
    mutationFn: () => api.post<Backfill>(`/api/scheduler/jobs/${job.id}/backfill`, spanOf(start, end, zone)),
    meta: { shown: true },
    async onSuccess({ count }) {
      await queries.invalidateQueries({ queryKey: ['scheduler'] })
      announce(`${counted(count, 'run', 'runs')} of ${job.name} will be made up for`)
      close()
    },
  })
  const error = begin.error ?? preview.error
  const errors = fieldErrors(error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    begin.mutate()
  }
  return (
    <Modal opened onClose={close} title={`Run ${job.name} for past times`}>
      <Stack component="form" onSubmit={submit}>
        {error && !errors.start && !errors.end && (
          <Alert color="red" role="alert">
            {readable(error)}
          </Alert>
        )}
        <Group grow align="flex-start">
          <TextInput
            type="datetime-local"
            label="From"
            error={errors.start}
            value={start}
            onChange={(event) => setStart(event.currentTarget.value)}
          />
          <TextInput
            type="datetime-local"
            label="Until"
            error={errors.end}
            value={end}
            onChange={(event) => setEnd(event.currentTarget.value)}
          />
        </Group>
        <Text size="sm" mih={44} role="status">
          {preview.data && sentence(preview.data)}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={begin.isPending}
            disabled={!preview.data || preview.data.count === 0 || preview.isError}
          >
            Run {preview.data?.count ? counted(preview.data.count, 'time', 'times') : ''}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function sentence({ count, due_times }: Backfill): string {
  if (due_times === 0) return 'It was not due in these days.'
  const rest = due_times - count
  const left =
    rest > 0 ? ` ${counted(rest, 'has', 'have')} succeeded or ${rest === 1 ? 'is' : 'are'} under way.` : ''
  return `It was due ${counted(due_times, 'time', 'times')}.${left} It will run ${counted(count, 'time', 'times')}.`
}

function spanOf(start: string, end: string, zone: string): { start: string; end: string } | null {
  if (!start || !end) return null
  const until = Math.min(instantOf(end, zone), Date.now())
  return { start: new Date(instantOf(start, zone)).toISOString(), end: new Date(until).toISOString() }
}
