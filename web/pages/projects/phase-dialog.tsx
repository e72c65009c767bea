import { Modal, Textarea, TextInput } from '@mantine/core'
import { useApi } from '../../app/services.tsx'
import { EntityForm, useApiForm } from '../../parts/form.tsx'

/** Adds a phase at the end of a project. */
export function PhaseDialog({ project, close }: { project: string; close: () => void }) {
  const api = useApi()
  const form = useApiForm({
    initial: { name: '', goal: '' },
    save: (body) => api.post('/api/projects/{id}/phases', { params: { id: project }, body }),
    stale: ['/api/projects'],
    saved: close,
  })
  return (
    <Modal opened onClose={close} title="Add phase">
      <EntityForm form={form} verb="Add" close={close}>
        <TextInput
          data-autofocus
          label="Name"
          required
          withAsterisk={false}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <Textarea
          label="Goal (optional)"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={5_000}
          {...form.getInputProps('goal')}
        />
      </EntityForm>
    </Modal>
  )
}
