import { Group, Modal, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import { readable } from '../../api/error.ts'
import { type Backfill, backfillPreviewQuery, dryRunQuery } from '../../api/scheduler.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Loaded } from '../../parts/list.tsx'
import { counted, money, whole } from '../../parts/numbers.ts'
import { useZone } from '../../parts/time.tsx'
import { Hint, Section } from '../../parts/typography.tsx'
import { NextTimes } from './schedule.tsx'
import { instantOf, isoOf, wallOf } from './zone.ts'

interface DialogProps {
  job: Job
  close: () => void
}

/** What the job would do. */
export function DryRunDialog({ job, close }: DialogProps) {
  const query = useQuery(dryRunQuery(useApi(), job.id))
  const home = useZone()
  const zone = job.schedule.timezone ?? home
  return (
    <Modal opened onClose={close} title={`Dry run of ${job.name}`} size="lg">
      <Loaded query={query} what="The dry run">
        {(run) => (
          <Stack>
            <Section title={`Next ${run.next_runs.length} runs in ${zone.replaceAll('_', ' ')}`}>
              <NextTimes times={run.next_runs} zone={zone} label="Next runs" />
            </Section>
            <Section title="Estimate for one run">
              <Text size="sm">
                {whole(run.estimated_tokens)} tokens, {money(run.estimated_cost_usd)}, with {run.model}
              </Text>
              <Hint>
                {run.estimate_basis === 'runs'
                  ? 'Based on the latest runs'
                  : 'Based on the task, the instructions and the tools, because the job has not run yet'}
              </Hint>
            </Section>
            <Section title="Allowed tools">
              <Text size="sm">{run.tools.join(', ') || 'None'}</Text>
              <Hint mt={6}>
                {run.changes_need_approval
                  ? 'Changes need your approval. Without it they are rejected after 30 minutes.'
                  : 'Changes need no approval.'}
              </Hint>
            </Section>
          </Stack>
        )}
      </Loaded>
    </Modal>
  )
}

const week = 7 * 24 * 3_600_000

/** Runs the job for past due times, after showing how many there are. */
export function BackfillDialog({ job, close }: DialogProps) {
  const { form, preview } = useBackfill(job, close)
  const { text } = inputsOf(form)
  return (
    <Modal opened onClose={close} title={`Backfill ${job.name}`}>
      <EntityForm
        form={form}
        verb={preview.data?.count ? `Run ${counted(preview.data.count, 'time', 'times')}` : 'Run'}
        close={close}
        disabled={!preview.data || preview.data.count === 0 || preview.isError}
      >
        <Group grow align="flex-start">
          {text('start', 'From', { type: 'datetime-local' })}
          {text('end', 'Until', { type: 'datetime-local' })}
        </Group>
        <Text size="sm" mih={44} role="status" c={preview.isError ? 'var(--mantine-color-error)' : undefined}>
          {preview.isError ? readable(preview.error) : preview.data && summaryOf(preview.data)}
        </Text>
      </EntityForm>
    </Modal>
  )
}

function useBackfill(job: Job, close: () => void) {
  const api = useApi()
  const zone = useZone()
  const form = useApiForm({
    initial: { start: wallOf(Date.now() - week, zone), end: wallOf(Date.now(), zone) },
    save: (values) =>
      api.post('/api/scheduler/jobs/{id}/backfill', {
        params: { id: job.id },
        body: spanOf(values, zone) ?? { start: '', end: '' },
      }),
    stale: ['/api/scheduler'],
    saved({ count }) {
      announce(`${counted(count, 'run', 'runs')} of ${job.name} queued`)
      close()
    },
  })
  const [span] = useDebouncedValue(spanOf(form.values, zone), 300)
  const preview = useQuery({
    ...backfillPreviewQuery(api, job.id, span ?? { start: '', end: '' }),
    enabled: span !== null,
    placeholderData: keepPreviousData,
  })
  return { form, preview }
}

function summaryOf({ count, due_times }: Backfill): string {
  if (due_times === 0) return 'The job was not due in this period.'
  const done = due_times - count
  const skipped =
    done > 0
      ? ` ${counted(done, 'run has', 'runs have')} already succeeded or ${done === 1 ? 'is' : 'are'} active.`
      : ''
  return `The job was due ${counted(due_times, 'time', 'times')}.${skipped} It will run ${counted(count, 'time', 'times')}.`
}

/** Null while a field is empty. The future is left out. */
function spanOf({ start, end }: { start: string; end: string }, zone: string) {
  if (!start || !end) return null
  const until = Math.min(instantOf(end, zone), Date.now())
  return { start: isoOf(start, zone), end: new Date(until).toISOString() }
}
