import { Group, NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconHistory, IconPlayerStop, IconRefresh, IconRepeat } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { ExecutionSummary, Workflow } from '../../../runtime/workflows/schema.ts'
import { usePages } from '../../api/query.ts'
import { IconButton } from '../../parts/buttons.tsx'
import { EmptyState, List } from '../../parts/list.tsx'
import { duration } from '../../parts/numbers.ts'
import { optionsOf } from '../../parts/options.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'
import { useExecutionActions } from './execution-bar.tsx'
import { runLabels, triggerLabels } from './labels.ts'
import { isActive } from './use-execution.ts'

/** The executions of a workflow, newest first. The filter is part of the address. */
export function ExecutionsView({ workflow }: { workflow: Workflow }) {
  const { get, set } = useParameters()
  const status = get('status') as ExecutionSummary['status'] | ''
  const trigger = get('trigger') as ExecutionSummary['trigger'] | ''
  const [text, setText] = useState(get('search'))
  const [search] = useDebouncedValue(text.trim(), 250)
  const query = usePages(
    '/api/workflows/{id}/executions',
    { params: { id: workflow.id }, query: { status, trigger, search } },
    { size: 30 },
  )
  return (
    <div className="page">
      <Group mb="sm" gap="xs">
        <SearchField what="Search by error or id" data-search value={text} change={setText} />
        <NativeSelect
          aria-label="Status"
          data={[{ value: '', label: 'Any status' }, ...optionsOf(runLabels)]}
          value={status}
          onChange={(event) => set({ status: event.currentTarget.value })}
        />
        <NativeSelect
          aria-label="Trigger"
          data={[{ value: '', label: 'Any trigger' }, ...optionsOf(triggerLabels)]}
          value={trigger}
          onChange={(event) => set({ trigger: event.currentTarget.value })}
        />
      </Group>
      <section className="card" aria-label="Executions">
        <List
          query={query}
          what="Executions"
          items="executions"
          empty={
            <EmptyState icon={<IconHistory />} title="No executions">
              {status || trigger || search ? 'Change the filter above.' : 'Run the workflow, or activate its trigger.'}
            </EmptyState>
          }
        >
          {(execution) => <ExecutionRow key={execution.id} execution={execution} nodes={workflow.nodes} />}
        </List>
      </section>
    </div>
  )
}

function ExecutionRow({ execution, nodes }: { execution: ExecutionSummary; nodes: Workflow['nodes'] }) {
  const { id, workflow_id, status, trigger, version, created_at, started_at, completed_at, error } = execution
  const { cancel, retry, replay } = useExecutionActions(execution)
  const failed = nodes.find((node) => node.id === error?.node_id)
  const seconds = started_at && completed_at ? (Date.parse(completed_at) - Date.parse(started_at)) / 1_000 : null
  return (
    <article className="row" aria-label={`Execution ${id}`}>
      <Link href={`/workflows/${workflow_id}?execution=${id}`} className="grow quiet-link">
        <Group gap="xs">
          <StatusBadge {...runLabels[status]} />
          <Time at={created_at} />
          <Hint>
            {triggerLabels[trigger]}, version {version}
            {seconds !== null && `, took ${duration(seconds)}`}
          </Hint>
        </Group>
        {error && (
          <Hint c="var(--mantine-color-error)" truncate>
            {failed && `${failed.name}: `}
            {error.message}
          </Hint>
        )}
      </Link>
      <Group gap={4} wrap="nowrap">
        {isActive(execution) ? (
          <IconButton label="Cancel" icon={IconPlayerStop} loading={cancel.isPending} onClick={() => cancel.mutate()} />
        ) : (
          <IconButton
            label="Run again with the same input"
            icon={IconRepeat}
            loading={replay.isPending}
            onClick={() => replay.mutate()}
          />
        )}
        {error?.node_id && (
          <IconButton
            label="Retry from the failed node"
            icon={IconRefresh}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          />
        )}
      </Group>
    </article>
  )
}
