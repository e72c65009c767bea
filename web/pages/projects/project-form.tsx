import { Group, Stack } from '@mantine/core'
import { useLocation, useSearchParams } from 'wouter'
import type { Project } from '../../../runtime/projects/schema.ts'
import { useApi } from '../../app/services.tsx'
import { useAgentOptions } from '../../parts/agents.ts'
import { announce, announceError } from '../../parts/announce.ts'
import { Choice } from '../../parts/choice.tsx'
import { changesTo, EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { nameFrom } from '../../parts/text.ts'
import { decisionLabels, strategyLabels } from './labels.ts'
import { bodyOf, newProject, type ProjectValues, valuesOf } from './values.ts'

interface ProjectDrawerProps {
  /** Null for a new one, which starts with the text in the address. */
  project: Project | null
  close: () => void
}

export function ProjectDrawer({ project, close }: ProjectDrawerProps) {
  return (
    <FormDrawer title={project ? `Edit ${project.name}` : 'New project'} close={close}>
      {({ leave }) => <ProjectForm project={project} close={leave} />}
    </FormDrawer>
  )
}

function ProjectForm({ project, close }: ProjectDrawerProps) {
  const form = useProjectForm(project, close)
  const { select, toggle, optionalNumber, text, area } = inputsOf(form)
  const agents = useAgentOptions()
  const usd = { min: 0, prefix: '$', decimalScale: 2, allowDecimal: true, placeholder: 'No limit' }
  return (
    <EntityForm
      form={form}
      verb={project ? 'Save' : 'Create and plan'}
      close={close}
      disabled={project !== null && !form.dirty}
    >
      {area('description', 'What should be done?', [6, 18], {
        ...required,
        'data-autofocus': true,
        description: 'The goal in your own words, or a list of steps',
        maxLength: 50_000,
      })}
      {text('name', 'Name', { placeholder: nameFrom(form.values.description) || 'Untitled', maxLength: 200 })}
      <Choice label="Strategy" choices={strategyLabels} input={form.getInputProps('strategy')} />
      <Choice label="Open questions" choices={decisionLabels} input={form.getInputProps('decision_mode')} />
      <Stack gap="xs">
        {toggle('auto_approve_plan', 'Start without my approval of the plan')}
        {toggle('auto_approve_phases', 'Start each phase without my approval')}
      </Stack>
      {select('agent_id', 'Agent', agents, { clearable: true, placeholder: 'Default agent' })}
      {project === null &&
        text('path', 'Folder on the machine', {
          description: 'One that the security settings allow',
          placeholder: 'A folder of its own',
          maxLength: 1_000,
        })}
      <Group grow align="flex-start">
        {optionalNumber('project_usd', 'Budget in USD', usd)}
        {optionalNumber('task_usd', 'Budget for each task in USD', usd)}
      </Group>
    </EntityForm>
  )
}

function useProjectForm(project: Project | null, close: () => void) {
  const api = useApi()
  const [, navigate] = useLocation()
  const [search] = useSearchParams()
  return useApiForm<ProjectValues, Project>({
    initial: project ? valuesOf(project) : { ...newProject, description: search.get('text') ?? '' },
    save: (values, _, initial) =>
      project
        ? api.put('/api/projects/{id}', {
            params: { id: project.id },
            body: changesTo(bodyOf(values), bodyOf(initial)),
          })
        : api.post('/api/projects', { body: bodyOf(values) }),
    stale: ['/api/projects'],
    async saved({ id, name }) {
      if (project) {
        announce(`${name} was saved`)
        return close()
      }
      // The project exists now, so a failure is shown on its page, where planning can be tried again.
      await api.post('/api/projects/{id}/generate-plan', { params: { id } }).catch(announceError)
      navigate(`/projects/${id}`)
    },
    fieldOf: (path) => path.replace(/^budget\./, ''),
  })
}
