import { Alert, Anchor, Box, Group, Text } from '@mantine/core'
import { IconPlayerStop, IconRefresh, IconX } from '@tabler/icons-react'
import { useLocation } from 'wouter'
import type { ExecutionDetails, WaitingFor, WorkflowNode } from '../../../runtime/workflows/schema.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { IconButton, SmallButton } from '../../parts/buttons.tsx'
import type { FieldsAnswer } from '../../parts/fields-form.tsx'
import { lazily } from '../../parts/lazily.ts'
import { duration } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status.tsx'
import { Time, When } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './actions.tsx'
import { runLabels, triggerLabels } from './labels.ts'
import { isActive } from './use-execution.ts'

const FieldsForm = lazily(() => import('../../parts/fields-form.tsx'), 'FieldsForm')

interface ExecutionBarProps {
  execution: ExecutionDetails
  nodes: readonly WorkflowNode[]
  close: () => void
}

/** The status of the execution whose states the flow shows, and the actions on it. */
export function ExecutionBar({ execution, nodes, close }: ExecutionBarProps) {
  const { status, trigger, started_at, completed_at, error, waiting_for, version } = execution
  const { cancel, retry } = useExecutionActions(execution)
  const nameOf = (id: string | null) => nodes.find((node) => node.id === id)?.name ?? id
  return (
    <Box
      component="section"
      flex="none"
      px="md"
      py="0.5rem"
      style={{ borderBottom: '1px solid var(--line)' }}
      aria-label="Execution"
    >
      <Group gap="xs" justify="space-between">
        <Group gap="xs" role="status">
          <StatusBadge {...runLabels[status]} />
          <Hint>
            {triggerLabels[trigger]}, version {version}
            {started_at && (
              <>
                {', '}
                <Time at={started_at} />
              </>
            )}
            {started_at &&
              completed_at &&
              `, took ${duration((Date.parse(completed_at) - Date.parse(started_at)) / 1_000)}`}
          </Hint>
        </Group>
        <Group gap="xs">
          {isActive(execution) && (
            <ActionButton run={cancel} icon={IconPlayerStop}>
              Cancel
            </ActionButton>
          )}
          {error?.node_id && (
            <ActionButton run={retry} icon={IconRefresh}>
              Retry from the failed node
            </ActionButton>
          )}
          <IconButton label="Hide execution" icon={IconX} onClick={close} />
        </Group>
      </Group>
      {error && (
        <Alert color="red" role="alert" mt="xs" p="xs">
          <b>{error.node_id ? `${nameOf(error.node_id)} failed` : 'The execution failed'}:</b> {error.message}
        </Alert>
      )}
      {execution.resume_path && waiting_for.some(({ kind }) => kind !== 'call') && (
        <Anchor href={execution.resume_path} target="_blank" rel="noreferrer" size="sm">
          Page on which it can be answered
        </Anchor>
      )}
      {waiting_for.map((waiting) => (
        <Waiting key={waiting.token} execution={execution.id} waiting={waiting} name={nameOf(waiting.node_id)} />
      ))}
    </Box>
  )
}

export function useExecutionActions({ id, workflow_id }: Pick<ExecutionDetails, 'id' | 'workflow_id'>) {
  const [, navigate] = useLocation()
  const params = { id }
  const cancel = useChange((api) => api.post('/api/workflows/executions/{id}/cancel', { params }), { stale })
  const useAgain = (from: 'failure' | 'start') =>
    useChange((api) => api.post('/api/workflows/executions/{id}/retry', { params, body: { from } }), {
      stale,
      done: ({ execution_id }) => navigate(`/workflows/${workflow_id}?execution=${execution_id}`),
    })
  const [retry, replay] = [useAgain('failure'), useAgain('start')]
  return { cancel, retry, replay }
}

interface WaitingProps {
  execution: string
  waiting: WaitingFor
  name: string | null
}

function Waiting({ execution, waiting, name }: WaitingProps) {
  const { token, message, options, fields, kind, until } = waiting
  const answer = useChange(
    (api, given: Partial<FieldsAnswer>) =>
      api.post('/api/workflows/executions/{id}/answer', {
        params: { id: execution },
        body: { token, ...given },
      }),
    { stale },
  )
  const isForm = kind === 'form' || fields.length > 0
  return (
    <Alert color="yellow" mt="xs" p="xs" mah="50dvh" style={{ overflow: 'auto' }}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" className="words">
          <b>{name} is waiting:</b> {message}
          <When label="until" at={until} />
        </Text>
        {!isForm &&
          options.map((option) => (
            <SmallButton key={option} disabled={answer.isPending} onClick={() => answer.mutate({ choice: option })}>
              {option}
            </SmallButton>
          ))}
      </Group>
      {isForm && <FieldsForm comment fields={fields} choices={options} answer={answer.mutateAsync} />}
    </Alert>
  )
}
