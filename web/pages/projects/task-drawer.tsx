import { Alert, Anchor, Drawer, Group, Stack, Text } from '@mantine/core'
import {
  IconChecklist,
  IconMessageCircle,
  IconPencil,
  IconPlayerTrackNext,
  IconRefresh,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { Output, ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { useAgentName } from '../../parts/agents.ts'
import { ActionButton, LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { ConfirmButton } from '../../parts/confirm.tsx'
import { ConversationLog } from '../../parts/conversation-log.tsx'
import { DiffLines } from '../../parts/file-diff.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { EmptyState } from '../../parts/list.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { byteSize, duration, money, whole } from '../../parts/numbers.ts'
import { Facts, StatusBadge } from '../../parts/status.tsx'
import { exact, useZone } from '../../parts/time.tsx'
import { Bullets, Hint, Section, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { useIsMine } from '../../parts/use-is-mine.ts'
import { FileName, Preview, type ProjectFile } from './file-preview.tsx'
import { priorityLabels, taskLabel, taskLabels } from './labels.ts'
import classes from './projects.module.css'
import { TaskForm } from './task-form.tsx'
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
    return (
      <FormDrawer
        title={task ? `Edit ${task.title}` : 'New task'}
        close={task ? () => setEditing(false) : close}
      >
        {({ leave }) => <TaskForm project={project} task={task} phase={phase} close={leave} />}
      </FormDrawer>
    )
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
      {task.waiting && <WaitNote wait={task.waiting} />}
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
              <StatusBadge {...taskLabels[status]} />
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
      {isMine && conversation_id && (
        <ConversationLog conversation={conversation_id} running={isActive(task)} />
      )}
    </Stack>
  )
}

function TaskActions({ project, task, edit }: TaskActionsProps) {
  const { status, conversation_id } = task
  const params = { id: project.id, task_id: task.id }
  const stale = ['/api/projects']
  const retry = useChange((api) => api.post('/api/projects/{id}/tasks/{task_id}/retry', { params }), {
    stale,
  })
  const skip = useChange((api) => api.post('/api/projects/{id}/tasks/{task_id}/skip', { params }), { stale })
  const isOpen = project.status === 'pending' || project.status === 'running'
  const isRetriable = status === 'failed' || (status === 'cancelled' && project.status === 'running')
  const isSkippable =
    !['completed', 'skipped', 'cancelled'].includes(status) && (isOpen || project.status === 'failed')
  return (
    <Group gap="xs">
      {conversation_id && (
        <LinkButton icon={IconMessageCircle} href={`/chat/${conversation_id}`}>
          Open chat
        </LinkButton>
      )}
      {isOpen && (status === 'pending' || status === 'ready') && (
        <SmallButton icon={IconPencil} onClick={edit}>
          Edit
        </SmallButton>
      )}
      {isRetriable && (
        <ActionButton icon={IconRefresh} variant="filled" run={retry}>
          Retry
        </ActionButton>
      )}
      {isSkippable && (
        <ConfirmButton
          question="Skip this task? It is stopped, and tasks after it start without its result."
          verb="Skip task"
          icon={IconPlayerTrackNext}
          run={skip}
        >
          Skip
        </ConfirmButton>
      )}
    </Group>
  )
}

/** What the task asked and what was decided. */
function Answered({ block: { question, answer, decided_by } }: { block: NonNullable<Task['block']> }) {
  const outcome =
    decided_by === 'agent'
      ? 'Decided by the agent; its report says what and why.'
      : (answer ?? 'Not answered yet. Answer at the top of the page.')
  return (
    <Section title="Question">
      <Markdown text={question} />
      <Text size="sm" c="dimmed" mt={4}>
        {decided_by === 'human' ? `Your answer: ${outcome}` : outcome}
      </Text>
    </Section>
  )
}

function TaskFacts({ task }: { task: Task }) {
  const zone = useZone()
  const { started_at, completed_at, agent_id } = task
  const agent = useAgentName(agent_id)
  const seconds =
    started_at && completed_at ? (Date.parse(completed_at) - Date.parse(started_at)) / 1000 : null
  return (
    <Facts
      facts={[
        ['Priority', priorityLabels[task.priority]],
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
