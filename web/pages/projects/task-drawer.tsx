import { Alert, Anchor, Drawer, Group, MultiSelect, Stack, Text } from '@mantine/core'
import {
  IconArrowBackUp,
  IconChecklist,
  IconMessageCircle,
  IconPencil,
  IconPlayerTrackNext,
  IconRefresh,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { Output, ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { useAgentName } from '../../parts/agents.ts'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { ConversationLog } from '../../parts/conversation-log.tsx'
import { DiffLines } from '../../parts/file-diff.tsx'
import { KeptChanges } from '../../parts/kept-changes.tsx'
import { EmptyState } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { byteSize, duration, money, whole } from '../../parts/numbers.ts'
import { ResourceDrawer } from '../../parts/resource-form.tsx'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { labelOf } from '../../parts/text.ts'
import { exact, useZone } from '../../parts/time.tsx'
import { Bullets, Hint, Muted, Section, TextLink } from '../../parts/typography.tsx'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { FileName, Preview, type ProjectFile } from './file-preview.tsx'
import { taskLabel, taskStatus } from './labels.ts'
import classes from './projects.module.css'
import { WaitNote } from './wait-note.tsx'

interface TaskDrawerProps {
  project: ProjectDetails
  /** `new` or the id of a task. */
  id: string
  /** The phase of a new task. */
  phase: string | null
  close: () => void
}

export function TaskDrawer({ project, id, phase, close }: TaskDrawerProps) {
  const [editing, setEditing] = useState(false)
  const [file, setFile] = useState<ProjectFile | null>(null)
  const task = project.tasks.find((candidate) => candidate.id === id) ?? null
  if (id === 'new' || (task && editing))
    return <TaskForm project={project} task={task} phase={phase} close={task ? () => setEditing(false) : close} />
  return (
    <Drawer
      opened
      onClose={close}
      closeOnEscape={file === null}
      position="right"
      size="lg"
      title={task?.title ?? 'Task'}
    >
      {task ? (
        <TaskDetails project={project} task={task} edit={() => setEditing(true)} preview={setFile} />
      ) : (
        <EmptyState icon={<IconChecklist />} title="Task not found">
          It may belong to an earlier version of the plan.
        </EmptyState>
      )}
      {file && <Preview file={file} close={() => setFile(null)} />}
    </Drawer>
  )
}

const isActive = ({ status }: Task) => status === 'running' || status === 'waiting_approval'

interface TaskActionsProps {
  project: ProjectDetails
  task: Task
  edit: () => void
}

interface TaskDetailsProps extends TaskActionsProps {
  preview: (file: ProjectFile) => void
}

function TaskDetails({ project, task, edit, preview }: TaskDetailsProps) {
  const { description, acceptance, error, block, outputs, conversation_id } = task
  const isMine = useIsMine(project)
  const before = project.tasks.filter(({ id }) => task.depends_on.includes(id))
  return (
    <Stack>
      <Group justify="space-between">
        <StatusBadge {...taskLabel(task)} />
        {isMine && <TaskActions project={project} task={task} edit={edit} />}
      </Group>
      {task.waiting && <WaitNote wait={task.waiting} hours={project.max_wait_hours} />}
      {error && (
        <Alert color="red" title="The last attempt failed" role="alert">
          {error}
        </Alert>
      )}
      {description && <Markdown text={description} />}
      {acceptance.length > 0 && (
        <Section title="Acceptance criteria">
          <Bullets items={acceptance} />
        </Section>
      )}
      {block?.answer !== undefined && block && <Answered block={block} />}
      <TaskFacts task={task} />
      {before.length > 0 && (
        <Section title="Starts after">
          {before.map(({ id, title, status }) => (
            <Group key={id} gap="xs">
              <TextLink href={`?task=${id}`}>{title}</TextLink>
              <StatusBadge {...taskStatus(status)} />
            </Group>
          ))}
        </Section>
      )}
      {outputs.length > 0 && (
        <Section title="Outputs">
          <Stack gap="xs">
            {outputs.map((output) => (
              <OutputView
                key={`${output.kind}:${output.name}`}
                project={project.id}
                output={output}
                preview={preview}
              />
            ))}
          </Stack>
        </Section>
      )}
      {conversation_id && <TaskChanges project={project} task={task} />}
      {isMine && conversation_id && <ConversationLog conversation={conversation_id} running={isActive(task)} />}
    </Stack>
  )
}

function TaskActions({ project, task, edit }: TaskActionsProps) {
  const { status, conversation_id } = task
  const params = { id: project.id, task_id: task.id }
  const isOpen = project.status === 'pending' || project.status === 'running'
  const isRetriable = status === 'failed' || (status === 'cancelled' && project.status === 'running')
  const isSkippable = !['completed', 'skipped', 'cancelled'].includes(status) && (isOpen || project.status === 'failed')
  return (
    <Group gap="xs">
      {conversation_id && (
        <LinkButton icon={IconMessageCircle} href={`/chat/${conversation_id}`}>
          Open chat
        </LinkButton>
      )}
      {((isOpen && (status === 'pending' || status === 'ready')) ||
        (status === 'failed' && project.status !== 'cancelled')) && (
        <SmallButton icon={IconPencil} onClick={edit}>
          Edit
        </SmallButton>
      )}
      {isRetriable && (
        <ActionButton
          icon={IconRefresh}
          variant="filled"
          run={(api) => api.post('/api/projects/{id}/tasks/{task_id}/retry', { params, body: {} })}
        >
          Retry
        </ActionButton>
      )}
      {isSkippable && (
        <ConfirmButton
          question="Skip this task? It is stopped, and tasks after it start without its result."
          verb="Skip task"
          icon={IconPlayerTrackNext}
          run={(api) => api.post('/api/projects/{id}/tasks/{task_id}/skip', { params })}
        >
          Skip
        </ConfirmButton>
      )}
    </Group>
  )
}

/** What the task has changed in files. Undoing asks next to the lines that it takes out. */
function TaskChanges({ project, task }: Pick<TaskActionsProps, 'project' | 'task'>) {
  const isMine = useIsMine(project)
  const params = { id: project.id, task_id: task.id }
  const changes = useEndpoint('/api/projects/{id}/tasks/{task_id}/changes', { params }).data?.changes ?? []
  if (changes.length === 0) return null
  const canUndo = isMine && !isActive(task) && changes.some(({ undone }) => !undone)
  return (
    <Section title="Changes">
      <Stack gap="xs" align="stretch">
        <KeptChanges changes={changes} />
        {canUndo && (
          <Group>
            <ConfirmButton
              question="Undo the changes above? What others have changed in these files since is kept."
              verb="Undo changes"
              icon={IconArrowBackUp}
              run={(api) => api.post('/api/projects/{id}/tasks/{task_id}/undo', { params })}
            >
              Undo
            </ConfirmButton>
          </Group>
        )}
      </Stack>
    </Section>
  )
}

/** What the task asked and what was decided. */
function Answered({ block: { question, answer, decided_by } }: { block: NonNullable<Task['block']> }) {
  const outcome = answer ?? 'Not answered yet. Answer at the top of the page.'
  return (
    <Section title="Question">
      <Markdown text={question} />
      <Muted mt={4}>{decided_by === 'human' ? `Your answer: ${outcome}` : outcome}</Muted>
    </Section>
  )
}

function TaskFacts({ task }: { task: Task }) {
  const zone = useZone()
  const { started_at, completed_at, agent_id } = task
  const agent = useAgentName(agent_id)
  const seconds = started_at && completed_at ? (Date.parse(completed_at) - Date.parse(started_at)) / 1000 : null
  return (
    <Facts
      facts={[
        ['Priority', labelOf(task.priority)],
        ['Attempts', `${task.attempts} of ${task.max_attempts}`],
        ['Agent', agent ?? agent_id ?? "The project's"],
        ['Started', started_at ? exact(started_at, zone) : '—'],
        ['Duration', seconds === null ? '—' : duration(seconds)],
        ['Tokens', whole(task.input_tokens + task.output_tokens)],
        ['Cost', money(task.cost_usd)],
      ]}
    />
  )
}

interface OutputViewProps {
  project: string
  output: Output
  preview: (file: ProjectFile) => void
}

function OutputView({ project, output, preview }: OutputViewProps) {
  const { kind, name, value, size_bytes } = output
  if (kind === 'file')
    return (
      <Group className={classes.output} justify="space-between" gap="xs">
        <FileName path={value} open={() => preview({ project, path: value, size_bytes })} />
        <Hint>{byteSize(size_bytes)}</Hint>
      </Group>
    )
  return (
    <div className={classes.output}>
      <Hint mb={4}>{name}</Hint>
      {kind === 'text' && <Markdown text={value} />}
      {kind === 'diff' && <DiffLines lines={linesOf(value)} />}
      {kind === 'url' && <WebLink url={value} />}
    </div>
  )
}

const WebLink = ({ url }: { url: string }) =>
  /^https?:\/\//.test(url) ? (
    <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
      {url}
    </Anchor>
  ) : (
    <Text size="sm">{url}</Text>
  )

/** The lines of a unified diff below its header. */
const linesOf = (patch: string) =>
  patch.split('\n').filter((line, index) => line !== '' && !(index < 5 && /^(===|---|\+\+\+|@@)/.test(line)))

interface TaskFormProps {
  project: ProjectDetails
  /** Null for a new one. */
  task: Task | null
  phase: string | null
  close: () => void
}

const TaskForm = ({ project, task, phase, close }: TaskFormProps) => (
  <ResourceDrawer
    path="/api/projects/{id}/tasks"
    params={{ id: project.id }}
    stale={['/api/projects']}
    noun="task"
    item={task}
    close={close}
    title={(item) => (item ? `Edit ${item.title}` : 'New task')}
    verb="Add task"
    start={phase ? { phase_id: phase } : {}}
    effect={false}
    fields={{
      phase_id: false,
      depends_on: ({ label, value, change, error }) => (
        <MultiSelect
          label={label}
          data={project.tasks.filter(({ id }) => id !== task?.id).map(({ id, title }) => ({ value: id, label: title }))}
          searchable
          error={error}
          value={value as string[]}
          onChange={(next) => change(next, true)}
        />
      ),
    }}
    layout={['title', 'description', 'acceptance', 'depends_on', 'priority', 'agent_id']}
  />
)
