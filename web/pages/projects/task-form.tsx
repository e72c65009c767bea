import { MultiSelect, NativeSelect, Textarea } from '@mantine/core'
import type { ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { EntityForm, useApiForm } from '../../parts/form.tsx'
import { inputsOf, required } from '../../parts/inputs.tsx'
import { priorityLabels } from './labels.ts'

interface TaskFormProps {
  project: ProjectDetails
  /** Null for a new one. */
  task: Task | null
  phase: string | null
  close: () => void
}

const priorities = Object.entries(priorityLabels).map(([value, label]) => ({ value, label }))

export function TaskForm({ project, task, phase, close }: TaskFormProps) {
  const form = useTaskForm({ project, task, phase, close })
  const { text, select } = inputsOf(form)
  const agents = useEndpoint('/api/agents').data?.agents ?? []
  const others = project.tasks.filter(({ id }) => id !== task?.id)
  return (
    <EntityForm
      form={form}
      verb={task ? 'Save' : 'Add task'}
      close={close}
      disabled={task !== null && !form.dirty}
    >
      {text('title', 'Title', { ...required, 'data-autofocus': true, maxLength: 200 } as object)}
      <Textarea
        label="Description"
        description="Everything the agent needs to know: it sees only this and the results of the tasks below"
        autosize
        minRows={3}
        maxRows={14}
        maxLength={20_000}
        {...form.getInputProps('description')}
      />
      <Textarea
        label="Acceptance criteria"
        description="What must be true of the result, one per line"
        autosize
        minRows={2}
        maxRows={10}
        {...form.getInputProps('acceptance')}
      />
      <MultiSelect
        label="Starts after"
        data={others.map(({ id, title }) => ({ value: id, label: title }))}
        searchable
        {...form.getInputProps('depends_on')}
      />
      <NativeSelect label="Priority" data={priorities} {...form.getInputProps('priority')} />
      {select(
        'agent_id',
        'Agent',
        agents.filter(({ enabled }) => enabled).map(({ id, name }) => ({ value: id, label: name })),
        { clearable: true, placeholder: "The project's agent" },
      )}
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
    save({ acceptance, ...values }) {
      const lines = acceptance.split('\n').map((line) => line.trim())
      const body = { ...values, acceptance: lines.filter((line) => line !== '') }
      if (task)
        return api.put('/api/projects/{id}/tasks/{task_id}', {
          params: { id: project.id, task_id: task.id },
          body,
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
