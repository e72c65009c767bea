import { Alert, Button, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { fieldErrors, readable } from '../../../api/error.ts'
import type { Job } from '../../../api/scheduler.ts'
import { AgentFields } from './agent-fields.tsx'
import { blank, type Draft, draftOf, nameFrom } from './draft.ts'
import { isOfMore, MoreFields } from './more-fields.tsx'
import { readStart } from './new-job-path.ts'
import { ScheduleField } from './schedule-field.tsx'
import { useSaveJob } from './use-save-job.ts'

interface JobFormProps {
  job: Job | null
  /** Of the address: what a new job begins with. */
  search: string
  /** Told when there is something to lose. */
  setDirty: (dirty: boolean) => void
  close: () => void
}

export function JobForm({ job, search, setDirty, close }: JobFormProps) {
  const [start] = useState(() => readStart(search))
  const [changes, setChanges] = useState<Partial<Draft>>(() => (job ? {} : startOf(start)))
  const [more, setMore] = useState(false)
  const values = { ...(job ? draftOf(job) : blank), ...changes }
  const dirty = Object.keys(changes).length > 0
  const change = (changed: Partial<Draft>) => {
    setChanges((before) => ({ ...before, ...changed }))
    setDirty(true)
  }
  const save = useSaveJob(job, {
    done: close,
    refused: (error) => Object.keys(fieldErrors(error)).some(isOfMore) && setMore(true),
  })
  const errors = fieldErrors(save.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(job ? changes : { ...values, name: values.name.trim() || nameFrom(values.goal) })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {save.isError && (
          <Alert color="red" role="alert" title="Not saved">
            {readable(save.error)}
          </Alert>
        )}
        <Textarea
          data-autofocus
          label="What to do"
          description="The goal, as you would write it to an agent"
          required
          autosize
          minRows={3}
          maxRows={12}
          error={errors.goal}
          value={values.goal}
          onChange={(event) => change({ goal: event.currentTarget.value })}
        />
        <TextInput
          label="Name"
          placeholder={nameFrom(values.goal) || 'Morning briefing'}
          maxLength={200}
          error={errors.name}
          value={values.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <ScheduleField
          value={values.schedule}
          words={start.when ?? ''}
          errors={errors}
          change={(schedule, touched = true) =>
            touched ? change({ schedule }) : setChanges((before) => ({ ...before, schedule }))
          }
        />
        <AgentFields values={values} errors={errors} change={change} />
        <TagsInput
          label="Tags"
          value={values.tags}
          error={errors.tags}
          onChange={(tags) => change({ tags })}
          acceptValueOnBlur
        />
        <MoreFields
          opened={more}
          toggle={() => setMore(!more)}
          values={values}
          errors={errors}
          change={change}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {job && !dirty ? 'Close' : 'Cancel'}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={job !== null && !dirty}>
            {job ? 'Save' : 'Schedule it'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function startOf({ what, name, schedule }: ReturnType<typeof readStart>): Partial<Draft> {
  return { ...(what && { goal: what }), ...(name && { name }), ...(schedule && { schedule }) }
}
