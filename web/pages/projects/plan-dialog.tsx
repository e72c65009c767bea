import { Modal, Text } from '@mantine/core'
import type { ProjectDetails } from '../../../runtime/projects/schema.ts'
import { useApi } from '../../app/services.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'

interface PlanDialogProps {
  project: ProjectDetails
  mode: 'refine' | 'regenerate'
  close: () => void
}

const texts = {
  refine: {
    title: 'Refine the plan',
    verb: 'Refine',
    effect: 'The plan changes as you say. Completed tasks that stay keep their results.',
    placeholder: 'Add a task that checks all links at the end',
  },
  regenerate: {
    title: 'Regenerate the plan',
    verb: 'Regenerate',
    effect:
      'All tasks are replaced, running ones are stopped, and the project waits for your approval again.',
    placeholder: 'Fewer and larger tasks',
  },
}

/** Asks for a new version of the plan. */
export function PlanDialog({ project: { id, auto_approve_plan }, mode, close }: PlanDialogProps) {
  const api = useApi()
  const params = { id }
  const form = useApiForm({
    initial: { instructions: '' },
    save: ({ instructions }) =>
      mode === 'refine'
        ? api.post('/api/projects/{id}/refine-plan', { params, body: { instructions } })
        : api.post('/api/projects/{id}/regenerate-plan', { params, body: { instructions } }),
    stale: ['/api/projects'],
    saved: close,
  })
  const { title, verb, effect, placeholder } = texts[mode]
  const { area } = inputsOf(form)
  return (
    <Modal opened onClose={close} title={title}>
      <EntityForm form={form} verb={verb} close={close}>
        <Text size="sm">{effect}</Text>
        {auto_approve_plan && <Text size="sm">The new plan starts without your approval.</Text>}
        {area(
          'instructions',
          mode === 'refine' ? 'What should change?' : 'What should be different? (optional)',
          [3, 12],
          {
            'data-autofocus': true,
            placeholder,
            required: mode === 'refine',
            withAsterisk: false,
            maxLength: 10_000,
          },
        )}
      </EntityForm>
    </Modal>
  )
}
