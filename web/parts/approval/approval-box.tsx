import { Badge, Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Approval, ApprovalAnswer } from '../../api/chat.ts'
import { JsonView } from '../json-view.tsx'
import { Time } from '../time.tsx'
import classes from './approval.module.css'
import { EditInput } from './edit-input.tsx'
import { Reject } from './reject.tsx'
import { risks } from './risks.ts'

interface ApprovalBoxProps {
  approval: Approval
  /** Resolves when the daemon has the answer. */
  answer: (answer: ApprovalAnswer) => Promise<unknown>
}

/** Asks the person for leave, with all that the action would do in sight. */
export function ApprovalBox({ approval, answer: give }: ApprovalBoxProps) {
  const [step, setStep] = useState<'ask' | 'edit' | 'reject'>('ask')
  const answer = useMutation({
    mutationFn: (given: Omit<ApprovalAnswer, 'approval_id'>) => give({ approval_id: approval.id, ...given }),
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
