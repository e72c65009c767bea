import { Anchor, Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import type { Approval } from '../../runtime/chat/schema.ts'
import type { ApprovalAnswer } from '../api/chat.ts'
import { useEndpoint, useRefresh } from '../api/query.ts'
import { useApi } from '../app/services.tsx'
import { useAgentName } from './agents.ts'
import classes from './approval.module.css'
import { SmallButton } from './buttons.tsx'
import { lazily } from './lazily.ts'
import { risks } from './risks.ts'
import { Time } from './time.tsx'
import { isInput } from './tool-input.tsx'
import { Hint, Scrolled } from './typography.tsx'

const FileDiff = lazily(
  () => import('./file-diff.tsx'),
  'FileDiff',
  ({ children }) => children,
)
const QuestionForm = lazily(() => import('./question-form.tsx'), 'QuestionForm')
const PermissionOffer = lazily(() => import('./permission-offer.tsx'), 'PermissionOffer')
const ToolInputEditor = lazily(() => import('./tool-input-editor.tsx'), 'ToolInputEditor')

/** An approval outside its conversation: what is asked, by whom and where. */
export function ApprovalCard({ approval }: { approval: Approval }) {
  const api = useApi()
  const refresh = useRefresh()
  const conversation = useEndpoint('/api/chat/conversations', {
    query: { limit: 200 },
  }).data?.conversations.find(({ id }) => id === approval.conversation_id)
  const agent = useAgentName(conversation?.agent_id)
  const answer = (body: ApprovalAnswer) =>
    api
      .post('/api/chat/conversations/{id}/approval-response', {
        params: { id: approval.conversation_id },
        body,
      })
      .finally(() => refresh('/api/chat/approvals', '/api/inbox'))
  return (
    <article className="row" style={{ display: 'block', paddingInline: 4 }} aria-label={approval.summary}>
      <Text fw={600} px={12}>
        {approval.summary}
      </Text>
      <Hint px={12}>
        {agent ?? 'An agent'} asked <Time at={approval.requested_at} /> in{' '}
        <Anchor component={Link} href={`/chat/${approval.conversation_id}`} inherit>
          {conversation?.title || 'the conversation'}
        </Anchor>
      </Hint>
      <ApprovalForm approval={approval} answer={answer} />
    </article>
  )
}

interface ApprovalFormProps {
  approval: Approval
  /** Resolves when the daemon has the answer. */
  answer: (answer: ApprovalAnswer) => Promise<unknown>
}

/** The input that the tool would run with, and the buttons that answer. */
export function ApprovalForm({ approval, answer: send }: ApprovalFormProps) {
  const [step, setStep] = useState<'ask' | 'edit' | 'reject'>('ask')
  const answer = useMutation({
    mutationFn: (given: Omit<ApprovalAnswer, 'approval_id'>) => send({ approval_id: approval.id, ...given }),
  })
  const props = { pending: answer.isPending, back: () => setStep('ask') }
  const { question } = approval
  if (question)
    return (
      <Stack component="section" gap="xs" px="sm" pt="xs" pb="sm" aria-label={`Question: ${approval.summary}`}>
        <Heading approval={approval} title={`The tool server ${question.from} asks`} />
        <QuestionForm approval={approval} question={question} answer={send} />
      </Stack>
    )
  return (
    <Stack component="section" gap="xs" px="sm" pt="xs" pb="sm" aria-label={`Approval: ${approval.summary}`}>
      <Heading approval={approval} />
      {approval.agent_reason !== null && (
        <Text size="sm" className={classes.reason}>
          The agent says: <q>{approval.agent_reason}</q>
        </Text>
      )}
      {step === 'edit' ? (
        <EditInput
          input={approval.input}
          approve={(input) => answer.mutate({ approved: true, edited_input: input })}
          {...props}
        />
      ) : (
        <Change approval={approval} />
      )}
      {step === 'reject' && (
        <Reject reject={(reason) => answer.mutate({ approved: false, ...(reason && { reason }) })} {...props} />
      )}
      {step === 'ask' && approval.risk !== 'high' && (
        <PermissionOffer approval={approval} approve={() => answer.mutate({ approved: true })} />
      )}
      {step === 'ask' && (
        <Group gap="xs">
          <Button size="xs" loading={answer.isPending} onClick={() => answer.mutate({ approved: true })}>
            Approve
          </Button>
          {approval.risk !== 'high' && (
            <SmallButton
              disabled={answer.isPending}
              data-writes
              onClick={() => answer.mutate({ approved: true, remember: true })}
            >
              Always in this conversation
            </SmallButton>
          )}
          <SmallButton disabled={answer.isPending} onClick={() => setStep('edit')}>
            Edit input
          </SmallButton>
          <Button size="xs" variant="subtle" color="red" disabled={answer.isPending} onClick={() => setStep('reject')}>
            Reject…
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const changesFile = (input: unknown) => isInput(input) && ['write', 'append', 'edit'].includes(String(input.action))

/** The input of the tool, or its changes if it writes a file and nothing in them is hidden. */
function Change({ approval: { id, tool, input, input_text } }: { approval: Approval }) {
  const text = (
    <Scrolled label="Input" p={0} fz="0.85rem" className="verbatim">
      {input_text}
    </Scrolled>
  )
  if (tool !== 'files' || !changesFile(input)) return text
  return (
    <FileDiff approval={id} open={input_text.includes('⟨')}>
      {text}
    </FileDiff>
  )
}

function Heading({ approval, title = 'Needs your approval' }: { approval: Approval; title?: string }) {
  const { label, color } = risks[approval.risk]
  return (
    <Group gap="xs" justify="space-between">
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Group gap="xs">
        <Text size="xs" c="dimmed" component="span">
          Expires <Time at={approval.expires_at} />
        </Text>
        {!approval.question && (
          <Badge color={color} c="var(--mantine-color-text)">
            {label}
          </Badge>
        )}
      </Group>
    </Group>
  )
}

interface StepProps {
  pending: boolean
  back: () => void
}

function EditInput({
  input,
  approve,
  ...step
}: StepProps & { input: unknown; approve: (input: Record<string, unknown>) => void }) {
  const [edited, setEdited] = useState(input as Record<string, unknown> | null)
  const submit = (
    <Button type="submit" size="xs" disabled={!edited} loading={step.pending}>
      Approve with this input
    </Button>
  )
  return (
    <Step {...step} submit={submit} onSubmit={() => edited && approve(edited)}>
      <ToolInputEditor input={input} change={setEdited} />
    </Step>
  )
}

function Reject({ reject, ...step }: StepProps & { reject: (reason: string) => void }) {
  const [reason, setReason] = useState('')
  const submit = (
    <Button type="submit" size="xs" color="red.9" loading={step.pending}>
      Reject
    </Button>
  )
  return (
    <Step {...step} submit={submit} onSubmit={() => reject(reason.trim())}>
      <Textarea
        label="Reason for the agent (optional)"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={2_000}
        autosize
        minRows={1}
        maxRows={6}
        autoFocus
      />
    </Step>
  )
}

interface StepFormProps extends StepProps {
  submit: ReactNode
  onSubmit: () => void
  children: ReactNode
}

function Step({ submit, onSubmit, back, children }: StepFormProps) {
  const submitted = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form onSubmit={submitted}>
      {children}
      <Group gap="xs" mt="xs">
        {submit}
        <SmallButton onClick={back}>Back</SmallButton>
      </Group>
    </form>
  )
}
