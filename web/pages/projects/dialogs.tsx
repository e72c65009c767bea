import { Modal, Text } from '@mantine/core'
import type { ProjectDetails } from '../../../runtime/projects/schema.ts'
import { EndpointForm } from '../../parts/resource-form.tsx'

/** Adds a phase at the end of a project. */
export const PhaseDialog = ({ project, close }: { project: string; close: () => void }) => (
  <Modal opened onClose={close} title="Add phase">
    <EndpointForm
      path="/api/projects/{id}/phases"
      params={{ id: project }}
      stale={['/api/projects']}
      verb="Add"
      fields={{ name: { format: 'line' }, order: false }}
      close={close}
    />
  </Modal>
)

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
    instructions: {
      title: 'What should change?',
      description: 'For example: add a task that checks all links at the end',
    },
  },
  regenerate: {
    title: 'Regenerate the plan',
    verb: 'Regenerate',
    effect: 'All tasks are replaced, running ones are stopped, and the project waits for your approval again.',
    instructions: {
      title: 'What should be different? (optional)',
      description: 'For example: fewer and larger tasks',
    },
  },
}

/** Asks for a new version of the plan. */
export function PlanDialog({ project: { id, auto_approve_plan }, mode, close }: PlanDialogProps) {
  const { title, verb, effect, instructions } = texts[mode]
  return (
    <Modal opened onClose={close} title={title}>
      <Text size="sm">{effect}</Text>
      {auto_approve_plan && <Text size="sm">The new plan starts without your approval.</Text>}
      <EndpointForm
        path={`/api/projects/{id}/${mode}-plan`}
        params={{ id }}
        stale={['/api/projects']}
        verb={verb}
        fields={{ instructions: { ...instructions, format: 'multiline' }, task_ids: false }}
        close={close}
        mt="md"
      />
    </Modal>
  )
}
