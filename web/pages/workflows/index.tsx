import { Badge, Button, Group, NativeSelect, SegmentedControl, Switch } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  IconFileImport,
  IconPlayerPlay,
  IconPlus,
  IconSchema,
  IconSearch,
  IconTemplate,
} from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import type { WorkflowSummary } from '../../../runtime/workflows/schema.ts'
import { usePages } from '../../api/query.ts'
import { ActionButton, LinkButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, PageSkeleton, SkeletonRows } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, NameLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { useWorkflowActions, WorkflowMenu } from './actions.tsx'
import { labelOfRun, triggerLabels, workflowLabels } from './labels.ts'
import classes from './workflows.module.css'

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

const statuses = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'draft', label: 'Draft' },
  { value: 'disabled', label: 'Disabled' },
]

/** The filter is part of the address. */
function useFilter() {
  const [search, setSearch] = useSearchParams()
  const [text, setText] = useState(search.get('search') ?? '')
  const [settled] = useDebouncedValue(text.trim(), 250)
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  return {
    status: search.get('status') ?? '',
    tag: search.get('tag') ?? '',
    search: settled,
    text,
    setText,
    set,
  }
}

function WorkflowList() {
  const { status, tag, search, text, setText, set } = useFilter()
  const filter = { status: status as WorkflowSummary['status'] | '', tag, search }
  const query = usePages('/api/workflows', { query: filter }, { size: 20 })
  const shown = query.data?.pages.flatMap(({ workflows }) => workflows) ?? []
  const tags = [...new Set([...shown.flatMap((one) => one.tags), ...(tag ? [tag] : [])])].sort()
  const filtered = [status, tag, search].some((value) => value !== '')
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
      <Group mb="xs" gap="xs">
        <SearchField what="Search workflows" data-search value={text} change={setText} />
        {tags.length > 0 && (
          <NativeSelect
            aria-label="Tag"
            data={[{ value: '', label: 'Any tag' }, ...tags]}
            value={tag}
            onChange={(event) => set('tag', event.currentTarget.value)}
          />
        )}
        <SegmentedControl
          aria-label="Status"
          size="xs"
          data={statuses}
          value={status}
          onChange={(value) => set('status', value)}
        />
      </Group>
      <section className="card" aria-label="Workflows">
        <List
          query={query}
          what="Workflows"
          items={() => shown}
          empty={filtered ? <NoMatches /> : <NoWorkflows />}
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
    <Button leftSection={<IconPlus size={16} />} loading={create.isPending} onClick={() => create.mutate()}>
      New workflow
    </Button>
  )
}

const NoMatches = () => (
  <EmptyState icon={<IconSearch />} title="No matching workflows">
    Change the search or the filter above.
  </EmptyState>
)

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
    <article className={classes.row} aria-label={name}>
      <div className={classes.about}>
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
      <Hint visibleFrom="md">{description && triggersOf(triggers)}</Hint>
      <Hint>
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
  const names = triggers.map(
    (type) => triggerLabels[type.replace('trigger.', '') as keyof typeof triggerLabels],
  )
  return [...new Set(names.filter(Boolean))].join(', ') || 'No trigger'
}
