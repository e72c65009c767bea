import { IconChecklist } from '@tabler/icons-react'
import { useLocation, useParams } from 'wouter'
import type { AnswerOf } from '../../api/client.ts'
import { NewLink } from '../../parts/buttons.tsx'
import { FilteredList } from '../../parts/filtered-list.tsx'
import { GettingStarted } from '../../parts/getting-started.tsx'
import { lazily } from '../../parts/lazily.ts'
import { PageSkeleton } from '../../parts/list.tsx'
import { counted, money } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page.tsx'
import { ProgressRow } from '../../parts/progress-row.tsx'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { ProjectMenu } from './actions.tsx'
import { needsYou, projectStatus } from './labels.ts'
import { type Selection, SelectionBar, useSelection } from './selection.tsx'

const ProjectPage = lazily(() => import('./project-page.tsx'), 'ProjectPage', <PageSkeleton />)
const ProjectDrawer = lazily(() => import('./project-form.tsx'), 'ProjectDrawer')

/** `/projects`; `/projects/new` opens the form over the list, `/projects/<id>` is one project, `/projects/<id>/<view>` one of its views. */
export function Projects() {
  const { id, view } = useParams<{ id?: string; view?: string }>()
  const [, navigate] = useLocation()
  if (id && id !== 'new') return <ProjectPage key={id} id={id} view={view} />
  return (
    <div className="page">
      <PageHeader title="Projects" description="Goals that agents plan with you and carry out, task by task.">
        <NewLink href="/projects/new">New project</NewLink>
      </PageHeader>
      <ProjectList />
      {id === 'new' && <ProjectDrawer project={null} close={() => navigate('/projects')} />}
    </div>
  )
}

const sorts = [
  { value: 'newest', label: 'Newest first' },
  { value: 'oldest', label: 'Oldest first' },
  { value: 'updated', label: 'Last changed' },
  { value: 'name', label: 'Name' },
  { value: 'status', label: 'Status' },
]

function ProjectList() {
  const selection = useSelection()
  return (
    <FilteredList
      path="/api/projects"
      items="projects"
      title="Projects"
      statusOf={projectStatus}
      sorts={sorts}
      none={<Examples />}
      bar={(shown) => <SelectionBar selection={selection} shown={shown} />}
    >
      {(project) => <ProjectRow key={project.id} project={project} selection={selection} />}
    </FilteredList>
  )
}

function ProjectRow({ project, selection }: { project: Listed; selection: Selection }) {
  const isMine = useIsMine(project)
  const { id, name, status, description, error, updated_at, progress } = project
  const { waiting_for, done, total, cost_usd } = progress
  return (
    <ProgressRow
      name={name}
      href={`/projects/${id}`}
      status={waiting_for ? needsYou : projectStatus(status)}
      detail={description || 'No description'}
      error={error}
      progress={{
        text: total === 0 ? 'No plan yet' : `${done} of ${counted(total, 'task', 'tasks')}`,
        percent: total === 0 ? 0 : Math.round((done / total) * 100),
        color: projectStatus(status).color,
      }}
      cost={money(cost_usd)}
      updated_at={updated_at}
      selection={
        selection.ids && isMine
          ? { checked: selection.ids.has(project.id), toggle: () => selection.toggle(project.id) }
          : undefined
      }
      menu={<ProjectMenu project={project} openDialog={null} />}
    />
  )
}

type Listed = AnswerOf<'GET', '/api/projects'>['projects'][number]

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

const Examples = () => (
  <GettingStarted
    what="Projects"
    icon={<IconChecklist />}
    title="No projects yet"
    description="A project turns one goal into a plan of tasks, and the tasks into files and reports."
    steps={steps}
    examples={examples.map(({ name, text }) => ({
      name,
      text,
      href: `/projects/new?text=${encodeURIComponent(text)}`,
    }))}
  />
)
