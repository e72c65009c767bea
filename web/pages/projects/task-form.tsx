import { MultiSelect } from '@mantine/core'
import type { ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { useApi } from '../../app/services.tsx'
import { useAgentOptions } from '../../parts/agents.ts'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { optionsOf } from '../../parts/options.ts'
import { linesOf } from '../../parts/text.ts'
import { priorityLabels } from './labels.ts'

interface TaskFormProps {
  project: ProjectDetails
  /** Null for a new one. */
  task: Task | null
  phase: string | null
  close: () => void
}

const priorities = optionsOf(priorityLabels)

export function TaskForm({ project, task, phase, close }: TaskFormProps) {
  const form = useTaskForm({ project, task, phase, close })
  const { text, select, area, native } = inputsOf(form)
  const agents = useAgentOptions()
  const others = project.tasks.filter(({ id }) => id !== task?.id)
  return (
    <EntityForm
      form={form}
      verb={task ? 'Save' : 'Add task'}
      close={close}
      disabled={task !== null && !form.dirty}
    >
      {text('title', 'Title', { ...required, 'data-autofocus': true, maxLength: 200 })}
      {area('description', 'Description', [3, 14], {
        description:
          'Everything the agent needs to know: it sees only this and the results of the tasks below',
        maxLength: 20_000,
      })}
      {area('acceptance', 'Acceptance criteria', [2, 10], {
        description: 'What must be true of the result, one per line',
      })}
      <MultiSelect
        label="Starts after"
        data={others.map(({ id, title }) => ({ value: id, label: title }))}
        searchable
        {...form.getInputProps('depends_on')}
      />
      {native('priority', 'Priority', priorities)}
      {select('agent_id', 'Agent', agents, { clearable: true, placeholder: "The project's agent" })}
    </EntityForm>
  )
}

function useTaskForm({ project, task, phase, close }: TaskFormProps) {
  const api = useApi()
  return useApiForm({
    initial: {
      title: task?.title ?? '',
      description: task?.description ?? '',
      acceptance: task?.acceptance.join('\n') ?? '',
      depends_on: task?.depends_on ?? [],
      priority: task?.priority ?? ('normal' as Task['priority']),
      agent_id: task?.agent_id ?? null,
    },
    save(values, _, initial) {
      const body = bodyOf(values)
      if (task)
        return api.put('/api/projects/{id}/tasks/{task_id}', {
          params: { id: project.id, task_id: task.id },
          body: changesTo(body, bodyOf(initial)),
        })
      return api.post('/api/projects/{id}/tasks', {
        params: { id: project.id },
        body: { ...body, ...(phase && { phase_id: phase }) },
      })
    },
    stale: ['/api/projects'],
    saved: close,
    fieldOf: (path) => path.split('.')[0] ?? path,
  })
}

const bodyOf = <Values extends { acceptance: string }>({ acceptance, ...values }: Values) => ({
  ...values,
  acceptance: linesOf(acceptance),
})
