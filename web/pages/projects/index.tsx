import {
  Button,
  Group,
  NativeSelect,
  Progress,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconChecklist, IconPlus, IconSearch } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import type { Project } from '../../../runtime/projects/schema.ts'
import type { AnswerOf, InputOf } from '../../api/client.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { Hint } from '../../parts/hint.tsx'
import { lazily } from '../../parts/lazily.ts'
import { List } from '../../parts/list.tsx'
import { counted, money } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { ProjectMenu } from './actions.tsx'
import { needsYou, projectLabels } from './labels.ts'
import classes from './projects.module.css'

const ProjectPage = lazily(() => import('./project-page.tsx'), 'ProjectPage')
const ProjectDrawer = lazily(() => import('./project-form.tsx'), 'ProjectDrawer')

/** `/projects`; `/projects/new` opens the form over the list, `/projects/<id>` is one project, `/projects/<id>/<view>` one of its views. */
export function Projects() {
  const { id, view } = useParams<{ id?: string; view?: string }>()
  const [, navigate] = useLocation()
  if (id && id !== 'new')
    return (
      <Suspense
        fallback={
          <div className="page">
            <SkeletonRows count={6} />
          </div>
        }
      >
        <ProjectPage key={id} id={id} view={view} />
      </Suspense>
    )
  return (
    <div className="page">
      <PageHeader title="Projects" description="Goals that agents plan with you and carry out, task by task.">
        <Button component={Link} href="/projects/new" leftSection={<IconPlus size={16} />}>
          New project
        </Button>
      </PageHeader>
      <ProjectList />
      {id === 'new' && (
        <Suspense>
          <ProjectDrawer project={null} close={() => navigate('/projects')} />
        </Suspense>
      )}
    </div>
  )
}

type Query = NonNullable<InputOf<'GET', '/api/projects'>['query']>
type Counts = AnswerOf<'GET', '/api/projects'>['status_counts']

const sorts: { value: NonNullable<Query['sort_by']>; label: string }[] = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'updated', label: 'Last changed' },
  { value: 'name', label: 'Name' },
  { value: 'status', label: 'Status' },
]

const all = 'all'

/** Filter and order are part of the address. */
function useFilter() {
  const [search, setSearch] = useSearchParams()
  const filter = (search.get('status') ?? all) as NonNullable<Query['status']>
  const sort_by = (search.get('sort') ?? 'newest') as NonNullable<Query['sort_by']>
  const [text, setText] = useState(search.get('search') ?? '')
  const [settled] = useDebouncedValue(text.trim(), 250)
  const set = (name: string, value: string, standard: string) =>
    setSearch(
      (before) => {
        if (value === standard) before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  return { status: filter, sort_by, text, setText, search: settled, set }
}

function ProjectList() {
  const { status, sort_by, text, setText, search, set } = useFilter()
  const query = usePages('/api/projects', { query: { status, sort_by, search } }, { size: 20 })
  const counts = query.data?.pages[0]?.status_counts
  const isEmpty = counts && search === '' && Object.values(counts).every((count) => count === 0)
  if (isEmpty) return <Examples />
  return (
    <>
      <Group mb="xs" gap="xs" wrap="nowrap">
        <SearchField what="Search projects" data-search value={text} change={setText} />
        <NativeSelect
          aria-label="Order"
          data={sorts}
          value={sort_by}
          onChange={(event) => set('sort', event.currentTarget.value, 'newest')}
        />
      </Group>
      <Group mb="sm" style={{ overflowX: 'auto' }} wrap="nowrap">
        <SegmentedControl
          aria-label="Status"
          size="xs"
          data={filtersOf(counts)}
          value={status}
          onChange={(value) => set('status', value, all)}
        />
      </Group>
      <section className="card" aria-label="Projects">
        <List
          query={query}
          what="Projects"
          items={({ pages }) => pages.flatMap(({ projects }) => projects)}
          empty={
            <EmptyState icon={<IconSearch />} title="No matching projects">
              Change the search or the status above.
            </EmptyState>
          }
          skeleton={<SkeletonRows count={5} height={68} />}
        >
          {(project) => <ProjectRow key={project.id} project={project} />}
        </List>
      </section>
    </>
  )
}

function filtersOf(counts: Counts | undefined) {
  const total = counts && Object.values(counts).reduce((sum, count) => sum + count, 0)
  const label = (text: string, count: number | undefined) => (count === undefined ? text : `${text} ${count}`)
  const statuses = Object.keys(projectLabels) as Project['status'][]
  return [
    { value: all, label: label('All', total) },
    ...statuses.map((value) => ({ value, label: label(projectLabels[value].label, counts?.[value]) })),
  ]
}

function ProjectRow({ project }: { project: Project }) {
  const { id, name, status, description, error, updated_at } = project
  const metrics = useEndpoint('/api/projects/{id}/metrics', { params: { id } }).data
  return (
    <article className={classes.project} aria-label={name}>
      <div className={classes.about}>
        <Group gap="xs" wrap="nowrap">
          <Link href={`/projects/${id}`} className={`truncate ${classes.name}`}>
            {name}
          </Link>
          <StatusBadge {...(metrics?.waiting_for ? needsYou : projectLabels[status])} />
        </Group>
        <Hint truncate c={error ? 'var(--mantine-color-error)' : 'dimmed'}>
          {error ?? (description || 'No description')}
        </Hint>
      </div>
      <div>
        <Hint>{metrics ? progressText(metrics) : ' '}</Hint>
        <Progress
          size="sm"
          mt={4}
          value={metrics?.progress_pct ?? 0}
          color={projectLabels[status].color}
          aria-label={`Progress of ${name}`}
        />
      </div>
      <Hint>{metrics ? money(metrics.cost_usd) : ' '}</Hint>
      <Hint>
        <Time at={updated_at} />
      </Hint>
      <div className={classes.menu}>
        <ProjectMenu project={project} openDialog={null} />
      </div>
    </article>
  )
}

function progressText({ tasks }: AnswerOf<'GET', '/api/projects/{id}/metrics'>): string {
  const total = Object.values(tasks).reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'No plan yet'
  return `${tasks.completed + tasks.skipped} of ${counted(total, 'task', 'tasks')}`
}

const examples = [
  {
    name: 'Compare before buying',
    text: 'Compare three heat pumps for a house from 1980.\n1. Find three models with data sheets.\n2. Write a table of price, power and noise to comparison.md.\n3. Recommend one and say why in recommendation.md.',
  },
  {
    name: 'Plan a trip',
    text: 'Plan five days in Lisbon with two children.\n1. Collect sights for children to sights.md.\n2. Write a plan for each day to plan.md.\n3. Write a packing list to packing.md.',
  },
  {
    name: 'Try it offline',
    text: '1. Write "Hello" to hello.txt\n2. Write "Bye" to bye.txt',
  },
]

const steps = [
  ['Say what should be done', 'In your own words, or as a list.'],
  ['Approve the plan', 'You see tasks, order and estimated cost before anything starts.'],
  ['Watch it being done', 'Agents work on the tasks in parallel and ask when they need you.'],
] as const

/** Explains what a project is, with examples to start from. */
function Examples() {
  return (
    <section className="card" aria-label="Projects">
      <EmptyState icon={<IconChecklist />} title="No projects yet">
        A project turns one goal into a plan of tasks, and the tasks into files and reports.
      </EmptyState>
      <SimpleGrid component="ol" cols={{ base: 1, sm: 3 }} px="md" pb="md" m={0} className="plain">
        {steps.map(([title, text], index) => (
          <li key={title}>
            <Text size="sm" fw={600}>
              {index + 1}. {title}
            </Text>
            <Hint>{text}</Hint>
          </li>
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 3 }} px="md" pb="md">
        {examples.map(({ name, text }) => (
          <Stack key={name} className="card sunken" p="md" gap="xs" justify="space-between">
            <div>
              <Text component="h2" fw={600} size="sm">
                {name}
              </Text>
              <Text size="sm" mt={6} style={{ whiteSpace: 'pre-line' }}>
                {text}
              </Text>
            </div>
            <LinkButton
              href={`/projects/new?text=${encodeURIComponent(text)}`}
              aria-label={`Use example: ${name}`}
            >
              Use
            </LinkButton>
          </Stack>
        ))}
      </SimpleGrid>
    </section>
  )
}
