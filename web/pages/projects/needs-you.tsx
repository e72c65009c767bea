import { IconCheck, IconWand } from '@tabler/icons-react'
import type { Phase, ProjectDetails, Task } from '../../../runtime/projects/schema.ts'
import { pendingApprovals } from '../../api/chat.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { AnswerForm } from '../../parts/answer-form.tsx'
import { ApprovalCard } from '../../parts/approval.tsx'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { counted } from '../../parts/numbers.ts'
import { Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { estimateText } from './labels.ts'

interface NeedsYouProps {
  project: ProjectDetails
  refine: () => void
}

/** What waits for the owner: the plan, a phase, questions of tasks, and actions that need approval. */
export function NeedsYou({ project, refine }: NeedsYouProps) {
  const { status, plan, planning, phases, tasks } = project
  const conversations = new Set(tasks.map(({ conversation_id }) => conversation_id))
  const approvals = (useEndpoint('/api/chat/approvals', pendingApprovals).data?.approvals ?? []).filter(
    ({ conversation_id }) => conversations.has(conversation_id),
  )
  const isRunning = status === 'running'
  const waits = status === 'pending' && plan !== null && !planning
  const blocked = isRunning ? tasks.filter((task) => task.status === 'blocked') : []
  const gates = isRunning ? phases.filter((phase) => phase.status === 'waiting_approval') : []
  const count = Number(waits) + blocked.length + gates.length + approvals.length
  if (count === 0) return null
  return (
    <Panel title="Needs you" count={count}>
      {waits && <PlanApproval project={project} refine={refine} />}
      {gates.map((phase) => (
        <PhaseApproval key={phase.id} project={project} phase={phase} />
      ))}
      {blocked.map((task) => (
        <Question key={task.id} task={task} />
      ))}
      {approvals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    </Panel>
  )
}

function PlanApproval({ project, refine }: NeedsYouProps) {
  const { plan, tasks, id } = project
  return (
    <Row
      name="The plan waits for your approval"
      actions={
        <>
          <LinkButton href={`/projects/${id}/plan`}>Read the plan</LinkButton>
          <SmallButton icon={IconWand} onClick={refine}>
            Refine…
          </SmallButton>
        </>
      }
    >
      <Hint>
        {counted(tasks.length, 'task', 'tasks')}
        {plan && `, ${estimateText(plan.estimate)}`}
      </Hint>
    </Row>
  )
}

function PhaseApproval({ project, phase: { id, name, goal } }: { project: ProjectDetails; phase: Phase }) {
  return (
    <Row
      name={`The phase “${name}” waits for your approval`}
      actions={
        <ActionButton
          icon={IconCheck}
          variant="filled"
          run={(api) =>
            api.post('/api/projects/{id}/phases/{phase_id}/approve', { params: { id: project.id, phase_id: id } })
          }
        >
          Approve phase
        </ActionButton>
      }
    >
      {goal && <Hint>{goal}</Hint>}
    </Row>
  )
}

function Question({ task: { id, project_id, title, block } }: { task: Task }) {
  const answer = useChange((api, given: string) =>
    api.post('/api/projects/{id}/tasks/{task_id}/answer', {
      params: { id: project_id, task_id: id },
      body: { answer: given },
    }),
  )
  if (!block) return null
  return (
    <article className="row" style={{ display: 'block' }} aria-label={`Question of ${title}`}>
      <Hint>
        <TextLink href={`?task=${id}`} size="xs" underline="always">
          {title}
        </TextLink>{' '}
        asked <Time at={block.asked_at} />
      </Hint>
      <Markdown text={block.question} />
      <AnswerForm options={block.options} free={block.kind === 'question'} answer={answer} />
      {!block.options.length && <Hint mt={4}>The task continues with your answer.</Hint>}
    </article>
  )
}
