import { Group, Textarea } from '@mantine/core'
import type { Job, TargetKind } from '../../../runtime/scheduler/schema.ts'
import { Hint } from '../../parts/hint.tsx'
import { inputsOf } from '../../parts/inputs.tsx'
import { AgentFields } from './job-fields.tsx'
import type { JobForm } from './job-values.ts'
import { isTarget, targets, useTargets } from './targets.tsx'

/** What the job starts: an agent with a task, or something that exists. */
export function TargetFields({ form, job }: { form: JobForm; job: Job | null }) {
  const { select } = inputsOf(form)
  const { kind, id } = form.values.target
  const items = useTargets(kind)
  const target = isTarget(kind) ? targets[kind] : null
  const choose = (chosen: string | null) => {
    form.setFieldValue('target.kind', (chosen ?? 'agent') as TargetKind)
    form.setFieldValue('target.id', '')
    // A project decides these itself.
    form.setFieldValue('execution_mode', 'auto')
    form.setFieldValue('model', '')
  }
  const name = (chosen: string | null) => {
    form.setFieldValue('target.id', chosen ?? '')
    const item = items.find((other) => other.id === chosen)
    form.setFieldValue('goal', item && target ? target.goal(item.name) : '')
  }
  return (
    <>
      <Group grow align="flex-start">
        {select(
          'target.kind',
          'Starts',
          [
            { value: 'agent', label: 'An agent with a task' },
            ...Object.entries(targets).map(([value, { label }]) => ({ value, label })),
          ],
          { onChange: choose, disabled: job !== null },
        )}
        {target &&
          select(
            'target.id',
            target.field,
            items.map((item) => ({ value: item.id, label: item.name })),
            { onChange: name, placeholder: 'A new one', clearable: true, searchable: true },
          )}
      </Group>
      {target && <Hint>{id ? target.hint : target.otherwise}</Hint>}
      {(target === null || id === '') && (
        <Textarea
          data-autofocus
          label="Task"
          description={
            target ? 'What should be done, in your own words' : 'What the agent should do, in your own words'
          }
          required
          autosize
          minRows={3}
          maxRows={12}
          {...form.getInputProps('goal')}
        />
      )}
      {target === null && <AgentFields form={form} />}
    </>
  )
}
