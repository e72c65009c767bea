import { Modal } from '@mantine/core'
import { useApi } from '../../app/services.tsx'
import { EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'

/** Adds a phase at the end of a project. */
export function PhaseDialog({ project, close }: { project: string; close: () => void }) {
  const api = useApi()
  const form = useApiForm({
    initial: { name: '', goal: '' },
    save: (body) => api.post('/api/projects/{id}/phases', { params: { id: project }, body }),
    stale: ['/api/projects'],
    saved: close,
  })
  const { text, area } = inputsOf(form)
  return (
    <Modal opened onClose={close} title="Add phase">
      <EntityForm form={form} verb="Add" close={close}>
        {text('name', 'Name', { ...required, 'data-autofocus': true, maxLength: 200 })}
        {area('goal', 'Goal (optional)', [2, 8], { maxLength: 5_000 })}
      </EntityForm>
    </Modal>
  )
}
