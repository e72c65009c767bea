import { Group } from '@mantine/core'
import type { Job } from '../../../runtime/scheduler/schema.ts'
import type { TargetKind } from '../../../runtime/schedules/targets.ts'
import { inputsOf, required } from '../../parts/form.tsx'
import { optionsOf } from '../../parts/options.ts'
import { Hint } from '../../parts/typography.tsx'
import { AgentFields } from './job-fields.tsx'
import type { JobForm } from './job-values.ts'
import { isTarget, targets, useTargets } from './targets.tsx'

/** What the job starts: an agent with a task, or something that exists. */
export function TargetFields({ form, job }: { form: JobForm; job: Job | null }) {
  const { select, area } = inputsOf(form)
  const { kind, id } = form.values.target
  const items = useTargets(kind)
  const target = isTarget(kind) ? targets[kind] : null
  const choose = (chosen: string | null) => {
    const next = (chosen ?? 'agent') as TargetKind
    // Where the task is not asked for, the daemon's message must not be about it.
    const fixed = isTarget(next) && targets[next].otherwise === null ? targets[next].goal('').trim() : ''
    if (fixed || target) form.setFieldValue('goal', fixed)
    form.setFieldValue('target.kind', next)
    form.setFieldValue('target.id', '')
    // Only an agent takes these from the job.
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
          [{ value: 'agent', label: 'An agent with a task' }, ...optionsOf(targets)],
          { onChange: choose, disabled: job !== null },
        )}
        {target &&
          select(
            'target.id',
            target.field,
            items.map((item) => ({ value: item.id, label: item.name })),
            {
              onChange: name,
              searchable: true,
              ...(target.otherwise === null ? required : { placeholder: 'A new one', clearable: true }),
            },
          )}
      </Group>
      {target && <Hint>{id ? target.hint : (target.otherwise ?? target.hint)}</Hint>}
      {(target === null || (target.otherwise !== null && id === '')) &&
        area('goal', 'Task', [3, 12], {
          'data-autofocus': true,
          description: target
            ? 'What should be done, in your own words'
            : 'What the agent should do, in your own words',
          required: true,
        })}
      {target === null && <AgentFields form={form} />}
    </>
  )
}
