import { Badge, Group, NativeSelect, Switch } from '@mantine/core'
import { IconFileImport, IconPlayerPlay, IconPlus, IconSchema, IconTemplate } from '@tabler/icons-react'
import { Link, useLocation, useParams } from 'wouter'
import type { WorkflowSummary } from '../../../runtime/workflows/schema.ts'
import { usePages } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { ListFilter, NoMatches, useListFilter } from '../../parts/list-filter.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, NameLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { useParameters } from '../../parts/use-parameters.ts'
import { useWorkflowActions, WorkflowMenu } from './actions.tsx'
import { labelOfRun, triggerLabels, workflowLabels } from './labels.ts'

const loading = <PageSkeleton />
const WorkflowPage = lazily(() => import('./workflow-page.tsx'), 'WorkflowPage', loading)
const Templates = lazily(() => import('./templates.tsx'), 'Templates', loading)
const ImportPage = lazily(() => import('./import.tsx'), 'ImportPage', loading)

/** `/workflows` is the list, `/workflows/<id>/<view>` one workflow; `templates` and `import` create one. */
export function Workflows() {
  const { id, view } = useParams<{ id?: string; view?: string }>()
  if (!id) return <WorkflowList />
  return (
    <>
      {id === 'templates' && <Templates />}
      {id === 'import' && <ImportPage />}
      {id !== 'templates' && id !== 'import' && <WorkflowPage key={id} id={id} view={view} />}
    </>
  )
}

function WorkflowList() {
  const filter = useListFilter<WorkflowSummary['status']>('')
  const { get, set } = useParameters()
  const { status, search } = filter
  const tag = get('tag')
  const query = usePages('/api/workflows', { query: { status, tag, search } }, { size: 20 })
  const workflows = query.data?.pages.flatMap(({ workflows }) => workflows) ?? []
  const tags = [...new Set([...workflows.flatMap((one) => one.tags), ...(tag ? [tag] : [])])].sort()
  return (
    <div className="page">
      <PageHeader title="Workflows" description="Steps that you draw once and that run on their own.">
        <LinkButton size="sm" icon={IconTemplate} href="/workflows/templates">
          Templates
        </LinkButton>
        <LinkButton size="sm" icon={IconFileImport} href="/workflows/import">
          Import
        </LinkButton>
        <NewButton />
      </PageHeader>
      <ListFilter filter={filter} what="Search workflows" statuses={workflowLabels} counts={undefined}>
        {tags.length > 0 && (
          <NativeSelect
            aria-label="Tag"
            data={[{ value: '', label: 'Any tag' }, ...tags]}
            value={tag}
            onChange={(event) => set({ tag: event.currentTarget.value })}
          />
        )}
      </ListFilter>
      <section className="card" aria-label="Workflows">
        <List
          query={query}
          what="Workflows"
          items={() => workflows}
          empty={status || tag || search ? <NoMatches what="workflows" /> : <NoWorkflows />}
          skeleton={<SkeletonRows count={5} height={68} />}
        >
          {(workflow) => <WorkflowRow key={workflow.id} workflow={workflow} />}
        </List>
      </section>
    </div>
  )
}

function NewButton() {
  const [, navigate] = useLocation()
  const create = useChange((api) => api.post('/api/workflows', { body: { name: 'Untitled workflow' } }), {
    stale: ['/api/workflows'],
    done: ({ id }) => navigate(`/workflows/${id}`),
  })
  return (
    <ActionButton size="sm" variant="filled" icon={IconPlus} run={create}>
      New workflow
    </ActionButton>
  )
}

const NoWorkflows = () => (
  <EmptyState
    icon={<IconSchema />}
    title="No workflows yet"
    action={
      <LinkButton size="sm" variant="filled" icon={IconTemplate} href="/workflows/templates">
        Browse templates
      </LinkButton>
    }
  >
    A workflow connects triggers, models, tools and checks. Start from a template, or draw your own.
  </EmptyState>
)

function WorkflowRow({ workflow }: { workflow: WorkflowSummary }) {
  const { id, name, status, description, tags, triggers, last_execution } = workflow
  const { toggle, run } = useWorkflowActions(workflow)
  const isMine = useIsMine(workflow)
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={name}>
      <div className="words">
        <Group gap="xs">
          <NameLink href={`/workflows/${id}`}>{name}</NameLink>
          {status !== 'active' && <StatusBadge {...workflowLabels[status]} />}
          {tags.map((tag) => (
            <Badge key={tag} variant="outline" color="gray" size="xs">
              {tag}
            </Badge>
          ))}
        </Group>
        <Hint truncate>{description || triggersOf(triggers)}</Hint>
      </div>
      <Hint visibleFrom="md" w={144}>
        {description && triggersOf(triggers)}
      </Hint>
      <Hint w={{ base: 100, md: 144 }}>
        {last_execution ? (
          <Link href={`/workflows/${id}?execution=${last_execution.id}`} className="quiet-link">
            {labelOfRun(last_execution.status)}
            {last_execution.started_at && (
              <>
                {' '}
                <Time at={last_execution.started_at} />
              </>
            )}
          </Link>
        ) : (
          'Never run'
        )}
      </Hint>
      <Group gap="xs" wrap="nowrap" justify="flex-end">
        {isMine && (
          <Switch
            size="sm"
            aria-label={`Activate ${name}`}
            checked={status === 'active'}
            disabled={toggle.isPending}
            onChange={() => toggle.mutate()}
          />
        )}
        {status !== 'disabled' && (
          <ActionButton run={run} icon={IconPlayerPlay} aria-label={`Run ${name}`}>
            Run
          </ActionButton>
        )}
        <WorkflowMenu workflow={workflow} />
      </Group>
    </article>
  )
}

/** `trigger.schedule` becomes "Schedule". */
function triggersOf(triggers: readonly string[]): string {
  const names = triggers.map((type) => triggerLabels[type.replace('trigger.', '') as keyof typeof triggerLabels])
  return [...new Set(names.filter(Boolean))].join(', ') || 'No trigger'
}
