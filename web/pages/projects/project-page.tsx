import { Alert, Group, Loader, Progress, Stack, Text } from '@mantine/core'
import { IconChecklist, IconPlayerPlay, IconPlayerStop, IconSparkles } from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { ProjectDetails } from '../../../runtime/projects/schema.ts'
import { useOptional } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { announce } from '../../parts/announce.ts'
import { AnswerForm } from '../../parts/answer-form.tsx'
import { LinkButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, Found, SkeletonRows } from '../../parts/list.tsx'
import { counted, duration, money } from '../../parts/numbers.ts'
import { PageHeader } from '../../parts/page.tsx'
import { StatusBadge, Views } from '../../parts/status.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { ProjectMenu } from './actions.tsx'
import { Board } from './board.tsx'
import { estimateText, progressOf, projectStatus } from './labels.ts'
import { NeedsYou } from './needs-you.tsx'
import { WaitNote } from './wait-note.tsx'

const loading = <SkeletonRows count={4} />
const GraphView = lazily(() => import('./graph-view.tsx'), 'GraphView', loading)
const Timeline = lazily(() => import('./timeline.tsx'), 'Timeline', loading)
const FilesView = lazily(() => import('./files-view.tsx'), 'FilesView', loading)
const PlanView = lazily(() => import('./plan-view.tsx'), 'PlanView', loading)
const AuditView = lazily(() => import('./audit-view.tsx'), 'AuditView', loading)
const TaskDrawer = lazily(() => import('./task-drawer.tsx'), 'TaskDrawer')
const ProjectDrawer = lazily(() => import('./project-form.tsx'), 'ProjectDrawer')
const PlanDialog = lazily(() => import('./dialogs.tsx'), 'PlanDialog')

interface View {
  place: string
  label: string
  view: ComponentType<{ project: ProjectDetails }>
}

const board: View = { place: '', label: 'Board', view: Board }
const views: readonly View[] = [
  board,
  { place: 'graph', label: 'Graph', view: GraphView },
  { place: 'timeline', label: 'Timeline', view: Timeline },
  { place: 'files', label: 'Files', view: FilesView },
  { place: 'plan', label: 'Plan', view: PlanView },
  { place: 'audit', label: 'Audit', view: AuditView },
]

/** One project; `?task=` names the task that is open over the view. */
export function ProjectPage({ id, view }: { id: string; view: string | undefined }) {
  const query = useOptional('/api/projects/{id}', { params: { id } })
  return (
    <div className="page">
      <TextLink href="/projects">← Projects</TextLink>
      <Found query={query} what="This project" icon={<IconChecklist />} skeleton={<SkeletonRows count={6} />}>
        {(project) => <Content project={project} place={view ?? ''} />}
      </Found>
    </div>
  )
}

function Content({ project, place }: { project: ProjectDetails; place: string }) {
  const [dialog, setDialog] = useState<'refine' | 'regenerate' | null>(null)
  const [, navigate] = useLocation()
  const { id, plan, planning } = project
  const base = `/projects/${id}`
  const isMine = useIsMine(project)
  const wait = project.planning_waits ?? project.tasks.find(({ waiting }) => waiting)?.waiting
  const current = views.find((view) => view.place === place) ?? board
  return (
    <>
      <PageHeader title={project.name}>
        <StatusBadge {...projectStatus(project.status)} />
        {isMine && <Actions project={project} />}
        <ProjectMenu project={project} openDialog={plan && !planning ? setDialog : null} />
      </PageHeader>
      <Stack>
        <Summary project={project} />
        <Problem project={project} />
        {planning && <Planning isFirst={plan === null} />}
        {wait && <WaitNote wait={wait} hours={project.max_wait_hours} />}
        {isMine && <NeedsYou project={project} refine={() => setDialog('refine')} />}
        {isMine && plan === null && !planning && project.tasks.length === 0 && place !== 'files' && (
          <NoPlan project={project} />
        )}
      </Stack>
      {(plan !== null || place === 'files') && (
        <Stack gap={0} mt="md">
          <Views label="Project views" base={base} views={views} current={current.place} />
          <current.view project={project} />
        </Stack>
      )}

      <OpenTask project={project} />
      {place === 'edit' && <ProjectDrawer project={project} close={() => navigate(base)} />}
      {dialog && <PlanDialog project={project} mode={dialog} close={() => setDialog(null)} />}
    </>
  )
}

function OpenTask({ project }: { project: ProjectDetails }) {
  const [search] = useSearchParams()
  const [location, navigate] = useLocation()
  const task = search.get('task')
  if (task === null) return null
  return (
    <TaskDrawer key={task} project={project} id={task} phase={search.get('phase')} close={() => navigate(location)} />
  )
}

function Actions({ project }: { project: ProjectDetails }) {
  const { id, name, status, plan, planning } = project
  const params = { id }
  return (
    <>
      {status === 'pending' && plan && !planning && (
        <ActionButton
          icon={IconPlayerPlay}
          variant="filled"
          run={(api) => api.post('/api/projects/{id}/approve', { params })}
          done={() => announce(`${name} was started`)}
        >
          Approve and start
        </ActionButton>
      )}
      {(status === 'running' || (status === 'pending' && (plan || planning))) && (
        <ConfirmButton
          question="Cancel this project? Running tasks are stopped. Completed tasks and files are kept."
          verb="Cancel project"
          icon={IconPlayerStop}
          run={(api) => api.post('/api/projects/{id}/cancel', { params })}
        >
          Cancel
        </ConfirmButton>
      )}
    </>
  )
}

/** Progress, and the cost next to the estimate. */
function Summary({ project }: { project: ProjectDetails }) {
  const { plan, budget, status, started_at, completed_at } = project
  const { done, total, percent, cost } = progressOf(project)
  const facts = [
    total > 0 && `${done} of ${counted(total, 'task', 'tasks')}`,
    `${money(cost)} spent`,
    plan && estimateText(plan.estimate),
    budget.project_usd !== null && `budget ${money(budget.project_usd)}`,
    started_at && completed_at && `took ${duration((Date.parse(completed_at) - Date.parse(started_at)) / 1000)}`,
  ]
  return (
    <div>
      <Progress value={percent} color={projectStatus(status).color} aria-label="Progress" />
      <Hint mt={6}>{facts.filter(Boolean).join(' · ')}</Hint>
    </div>
  )
}

/** Why planning or the project failed, and what to do. */
function Problem({ project }: { project: ProjectDetails }) {
  const { status, error, plan, tasks } = project
  const isMine = useIsMine(project)
  if (error === null) return null
  const failed = tasks.find((task) => task.status === 'failed')
  return (
    <Alert
      color="red"
      role="alert"
      title={
        status === 'failed'
          ? 'The project failed'
          : status === 'running'
            ? 'The project waits'
            : plan
              ? 'The plan was not changed'
              : 'No plan was made'
      }
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error}</Text>
        {status === 'failed' && failed && (
          <Text size="sm">
            Open the failed task to change, retry or skip it:{' '}
            <TextLink href={`?task=${failed.id}`} c="inherit" underline="always">
              {failed.title}
            </TextLink>
          </Text>
        )}
        {status === 'failed' && failed && isMine && <RetryFailed id={project.id} />}
      </Stack>
    </Alert>
  )
}

function RetryFailed({ id }: { id: string }) {
  const retry = useChange((api, note: string) =>
    api.post('/api/projects/{id}/retry', { params: { id }, body: note === '' ? {} : { note } }),
  )
  return <AnswerForm optional label="A note for the agents, if you like" verb="Retry all failed" answer={retry} />
}

const Planning = ({ isFirst }: { isFirst: boolean }) => (
  <Group className="card" p="md" role="status" wrap="nowrap">
    <Loader size={20} />
    <div>
      <Text size="sm" fw={600}>
        {isFirst ? 'The plan is being made' : 'A new version of the plan is being made'}
      </Text>
      <Hint>This can take a few minutes. You can leave this page.</Hint>
    </div>
  </Group>
)

function NoPlan({ project }: { project: ProjectDetails }) {
  return (
    <section className="card" aria-label="Plan">
      <EmptyState
        icon={<IconSparkles />}
        title="No plan yet"
        action={
          project.status !== 'cancelled' && (
            <>
              <ActionButton
                variant="filled"
                icon={IconSparkles}
                run={(api) => api.post('/api/projects/{id}/generate-plan', { params: { id: project.id } })}
              >
                {project.error ? 'Try again' : 'Make a plan'}
              </ActionButton>
              <LinkButton href={`/projects/${project.id}/edit`}>Edit the description</LinkButton>
              {project.error && <LinkButton href="/settings/providers">Model providers</LinkButton>}
            </>
          )
        }
      >
        {project.status === 'cancelled'
          ? 'The project was cancelled. Duplicate it to start again.'
          : 'A plan splits the goal into tasks. Nothing starts before you approve it.'}
      </EmptyState>
    </section>
  )
}
