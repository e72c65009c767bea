import { Group, Stack, Text } from '@mantine/core'
import { IconGavel } from '@tabler/icons-react'
import type { Audit, ProjectDetails } from '../../../runtime/projects/schema.ts'
import type { Api } from '../../api/client.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { EmptyState, Loaded, Nothing } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'
import { type Status, StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useIsMine } from '../../parts/use-is-mine.ts'

/** A second opinion of a model on the plan or the results. */
export function AuditView({ project }: { project: ProjectDetails }) {
  const params = { id: project.id }
  const query = useEndpoint('/api/projects/{id}/audit', { params })
  const run = (scope: Audit['scope']) => (api: Api) => api.post('/api/projects/{id}/audit', { params, body: { scope } })
  const isMine = useIsMine(project)
  const hasResult = project.tasks.some(({ status }) => status === 'completed')
  return (
    <Stack>
      {isMine && (
        <Group gap="xs">
          <ActionButton run={run('plan')}>Audit the plan</ActionButton>
          <ActionButton variant={hasResult ? 'filled' : 'default'} run={run('result')} disabled={!hasResult}>
            Audit the results
          </ActionButton>
          <Hint>This calls a model and costs tokens.</Hint>
        </Group>
      )}
      <Loaded query={query} what="The audit">
        {(data) =>
          data.audit ? (
            <Result audit={data.audit} project={project} />
          ) : (
            <EmptyState icon={<IconGavel />} title="No audit yet">
              Another model call looks for gaps, risks and unmet criteria.
            </EmptyState>
          )
        }
      </Loaded>
    </Stack>
  )
}

const severities: Record<Audit['findings'][number]['severity'], Status & { rank: number }> = {
  error: { label: 'Error', color: 'red', rank: 0 },
  warning: { label: 'Warning', color: 'yellow', rank: 1 },
  info: { label: 'Note', color: 'gray', rank: 2 },
}

function Result({ audit, project }: { audit: Audit; project: ProjectDetails }) {
  const findings = audit.findings.toSorted(
    (left, right) => severities[left.severity].rank - severities[right.severity].rank,
  )
  const titleOf = (id: string) => project.tasks.find((task) => task.id === id)?.title
  return (
    <>
      <div>
        <Text component="div" fz="2rem" fw={650} lh={1.1}>
          {Math.round(audit.score)}
          <Text span c="dimmed">
            {' '}
            of 100
          </Text>
        </Text>
        <Hint>
          {audit.scope === 'plan' ? 'Audit of the plan' : 'Audit of the results'} by {audit.made_by}{' '}
          <Time at={audit.created_at} />
        </Hint>
      </div>
      <Panel title="Findings" count={findings.length}>
        {findings.length === 0 && <Nothing>No findings.</Nothing>}
        {findings.map(({ severity, task_id, message, suggestion }) => (
          <article key={`${task_id}:${message}`} className="row" style={{ alignItems: 'flex-start' }}>
            <StatusBadge {...severities[severity]} />
            <div className="grow">
              <Text size="sm">{message}</Text>
              {suggestion && <Hint>{suggestion}</Hint>}
              {task_id && titleOf(task_id) && (
                <TextLink href={`?task=${task_id}`} size="xs">
                  {titleOf(task_id)}
                </TextLink>
              )}
            </div>
          </article>
        ))}
      </Panel>
    </>
  )
}
