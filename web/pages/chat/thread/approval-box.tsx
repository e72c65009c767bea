import { Badge, Button, Group, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Approval } from '../../../api/chat.ts'
import { Time } from '../../../parts/time.tsx'
import { editedInput } from '../state/edited-input.ts'
import { pretty } from '../state/pretty.ts'
import type { ApprovalAnswer, ChatSession } from '../state/session.ts'
import { JsonView } from './json-view.tsx'
import classes from './tool-card.module.css'

const risks: Record<Approval['risk'], { label: string; color: string }> = {
  low: { label: 'Low risk', color: 'green' },
  medium: { label: 'Some risk', color: 'yellow' },
  high: { label: 'High risk', color: 'red' },
}

interface ApprovalBoxProps {
  session: ChatSession
  approval: Approval
}

/** Asks the person for leave, with all that the action would do in sight. */
export function ApprovalBox({ session, approval }: ApprovalBoxProps) {
  const [step, setStep] = useState<'ask' | 'edit' | 'reject'>('ask')
  const answer = useMutation({
    mutationFn: (given: Omit<ApprovalAnswer, 'approval_id'>) =>
      session.answer({ approval_id: approval.id, ...given }),
  })
  const risk = risks[approval.risk]
  return (
    <section className={classes.approval} aria-label={`Approval: ${approval.summary}`}>
      <Group gap="xs" justify="space-between">
        <Text size="sm" fw={600}>
          May it do this?
        </Text>
        <Group gap="xs">
          <Text size="xs" c="dimmed" component="span">
            Expires <Time at={approval.expires_at} />
          </Text>
          <Badge variant="light" color={risk.color} size="sm" className={classes.badge}>
            {risk.label}
          </Badge>
        </Group>
      </Group>
      {step === 'edit' ? (
        <EditInput
          input={approval.input}
          pending={answer.isPending}
          approve={(input) => answer.mutate({ approved: true, edited_input: input })}
          cancel={() => setStep('ask')}
        />
      ) : (
        <JsonView label="Would run with" value={approval.input} />
      )}
      {step === 'reject' && (
        <Reject
          pending={answer.isPending}
          reject={(reason) => answer.mutate({ approved: false, ...(reason && { reason }) })}
          cancel={() => setStep('ask')}
        />
      )}
      {step === 'ask' && (
        <Group gap="xs">
          <Button size="xs" loading={answer.isPending} onClick={() => answer.mutate({ approved: true })}>
            Approve
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={answer.isPending}
            onClick={() => answer.mutate({ approved: true, remember: true })}
          >
            Always in this conversation
          </Button>
          <Button size="xs" variant="default" disabled={answer.isPending} onClick={() => setStep('edit')}>
            Edit input
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="red"
            disabled={answer.isPending}
            onClick={() => setStep('reject')}
          >
            Reject…
          </Button>
        </Group>
      )}
    </section>
  )
}

interface EditInputProps {
  input: unknown
  pending: boolean
  approve: (input: Record<string, unknown>) => void
  cancel: () => void
}

function EditInput({ input, pending, approve, cancel }: EditInputProps) {
  const [text, setText] = useState(() => pretty(input))
  const checked = editedInput(text)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (checked.ok) approve(checked.value)
      }}
    >
      <Textarea
        label="Input (JSON)"
        className={classes.editor}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={checked.ok ? null : checked.reason}
        autosize
        minRows={3}
        maxRows={16}
        spellCheck={false}
        autoFocus
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs" disabled={!checked.ok} loading={pending}>
          Approve with this input
        </Button>
        <Button size="xs" variant="default" onClick={cancel}>
          Back
        </Button>
      </Group>
    </form>
  )
}

interface RejectProps {
  pending: boolean
  reject: (reason: string) => void
  cancel: () => void
}

function Reject({ pending, reject, cancel }: RejectProps) {
  const [reason, setReason] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        reject(reason.trim())
      }}
    >
      <Textarea
        label="Why not? (the agent reads it; may be empty)"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        maxLength={2_000}
        autosize
        minRows={1}
        maxRows={6}
        autoFocus
      />
      <Group gap="xs" mt="xs">
        <Button type="submit" size="xs" color="red.9" loading={pending}>
          Reject
        </Button>
        <Button size="xs" variant="default" onClick={cancel}>
          Back
        </Button>
      </Group>
    </form>
  )
}
