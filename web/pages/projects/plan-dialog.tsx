import { Modal, Text, Textarea } from '@mantine/core'
import type { ProjectDetails } from '../../../runtime/projects/schema.ts'
import { useApi } from '../../app/services.tsx'
import { EntityForm, useApiForm } from '../../parts/form.tsx'

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
  return (
    <Modal opened onClose={close} title={title}>
      <EntityForm form={form} verb={verb} close={close}>
        <Text size="sm">{effect}</Text>
        {auto_approve_plan && <Text size="sm">The new plan starts without your approval.</Text>}
        <Textarea
          data-autofocus
          label={mode === 'refine' ? 'What should change?' : 'What should be different? (optional)'}
          placeholder={placeholder}
          required={mode === 'refine'}
          withAsterisk={false}
          autosize
          minRows={3}
          maxRows={12}
          maxLength={10_000}
          {...form.getInputProps('instructions')}
        />
      </EntityForm>
    </Modal>
  )
}
