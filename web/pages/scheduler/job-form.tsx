import { Alert, Collapse, Stack, TagsInput, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useState } from 'react'
import { useSearch } from 'wouter'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import { ApiError } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { nameFrom } from '../../parts/text.ts'
import { ConditionFields, DeliveryFields, FailureFields, LimitFields } from './job-fields.tsx'
import { bodyOf, type JobForm as Form, type JobValues, newBodyOf, newJob, valuesOf } from './job-values.ts'
import { readNewJob } from './new-job-path.ts'
import { ScheduleField } from './schedule-field.tsx'
import { TargetFields } from './target-fields.tsx'

interface JobDrawerProps {
  /** Null for a new one, which starts with the values in the address. */
  job: Job | null
  close: () => void
}

export function JobDrawer({ job, close }: JobDrawerProps) {
  const search = useSearch()
  return (
    <FormDrawer title={job ? job.name : 'New job'} close={close}>
      {({ leave }) => <JobForm key={job?.id ?? search} job={job} search={search} close={leave} />}
    </FormDrawer>
  )
}

interface JobFormProps extends JobDrawerProps {
  /** Of the address: the values of a new job. */
  search: string
}

function JobForm({ job, search, close }: JobFormProps) {
  const [start] = useState(() => readNewJob(search))
  const { form, submit, sending, error, problem } = useJobForm(job, start, close)
  const [more, setMore] = useState(false)
  const shown = more || Object.keys(form.errors).some(isOfMore)
  const { text } = inputsOf(form)
  return (
    <EntityForm
      form={{ submit, sending, problem }}
      verb={job ? 'Save' : 'Create job'}
      close={close}
      closeLabel={job && !form.dirty ? 'Close' : 'Cancel'}
      disabled={job !== null && !form.dirty}
      noValidate
    >
      {error && !problem && (
        <Alert color="red" role="alert" title="Not saved">
          Check the highlighted fields.
        </Alert>
      )}
      <TargetFields form={form} job={job} />
      {text('name', 'Name', {
        placeholder: nameFrom(form.values.goal) || 'Morning briefing',
        maxLength: 200,
      })}
      <ScheduleField
        value={form.values.schedule}
        change={(schedule, isFirst) => {
          form.setFieldValue('schedule', schedule)
          if (isFirst) form.resetDirty()
        }}
        errors={form.errors}
        text={start.when}
      />
      <TagsInput label="Tags" acceptValueOnBlur {...form.getInputProps('tags')} />
      <MoreFields opened={shown} toggle={() => setMore(!shown)} form={form} />
    </EntityForm>
  )
}

function useJobForm(job: Job | null, start: ReturnType<typeof readNewJob>, close: () => void) {
  const api = useApi()
  const { what, name, schedule = null } = start
  const { submit, sending, error, problem, ...form } = useApiForm<JobValues, Job>({
    initial: job ? valuesOf(job) : { ...newJob, goal: what, name, schedule },
    async save(values, changes) {
      if (values.schedule === null) throw noSchedule()
      if (job) return api.put('/api/scheduler/jobs/{id}', { params: { id: job.id }, body: bodyOf(changes) })
      const named = { ...values, name: values.name.trim() || nameFrom(values.goal) }
      return api.post('/api/scheduler/jobs', { body: newBodyOf(named) })
    },
    stale: ['/api/scheduler'],
    saved(saved) {
      announce(`${saved.name} was ${job ? 'saved' : 'scheduled'}`)
      close()
    },
  })
  return { form, submit, sending, error, problem }
}

/** In the shape of the daemon's own errors, so that the message appears at its field. */
function noSchedule(): ApiError {
  const message = 'Enter a schedule'
  return new ApiError(422, 'validation_error', message, { issues: [{ path: 'schedule', message }] })
}

/** Whether the field is one of those under "More". */
const isOfMore = (path: string): boolean =>
  /^(condition|delivery|retry|misfire|overlap|jitter|timeout|max_runs|ends_at|auto_pause|budget)/.test(path)

interface MoreFieldsProps {
  opened: boolean
  toggle: () => void
  form: Form
}

function MoreFields({ opened, toggle, form }: MoreFieldsProps) {
  const Icon = opened ? IconChevronDown : IconChevronRight
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={opened} fz="sm" fw={550}>
        <Icon size={16} aria-hidden style={{ verticalAlign: '-3px' }} /> More: delivery, conditions, retries,
        limits
      </UnstyledButton>
      <Collapse expanded={opened}>
        {opened && (
          <Stack mt="sm">
            <DeliveryFields form={form} />
            <ConditionFields form={form} />
            <FailureFields form={form} />
            <LimitFields form={form} />
          </Stack>
        )}
      </Collapse>
    </div>
  )
}
