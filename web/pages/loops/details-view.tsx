import { Code, Stack, Text } from '@mantine/core'
import type { LoopDetails } from '../../../runtime/loops/schema.ts'
import { useAgentName } from '../../parts/agents.ts'
import { ConversationLog } from '../../parts/conversation-log.tsx'
import { executionModes } from '../../parts/execution-modes.ts'
import { duration } from '../../parts/numbers.ts'
import { useLabels } from '../../parts/schema/use-body-schema.ts'
import { Facts } from '../../parts/status.tsx'
import { exact, useZone } from '../../parts/time.tsx'
import { Bullets, Hint, Section } from '../../parts/typography.tsx'
import { verificationLabels } from './labels.ts'

/** How the loop is set up. */
export function DetailsView({ loop }: { loop: LoopDetails }) {
  const { goal, success_criteria, verification, verified_by, constraints, agent_id, interval_seconds } = loop
  const blocked = useLabels('/api/loops', 'on_blocked')
  const zone = useZone()
  const agent = useAgentName(agent_id)
  return (
    <Stack>
      <Facts
        facts={[
          ['Agent', agent ?? agent_id ?? 'Default agent'],
          ['Approval', executionModes[loop.execution_mode].label],
          ['Next iteration', interval_seconds === 0 ? 'Immediately' : `After ${duration(interval_seconds)}`],
          ['If it has a question', blocked(loop.on_blocked)],
          ['Files', loop.workspace_path ?? 'The agent’s files'],
          ['Created', exact(loop.created_at, zone)],
          ['Last started', loop.started_at ? exact(loop.started_at, zone) : '—'],
        ]}
      />
      <Section title="Goal">
        <Lines text={goal} />
      </Section>
      {success_criteria.length > 0 && (
        <Section title="Success criteria">
          <Bullets items={success_criteria} />
        </Section>
      )}
      <Section title={`Verification: ${verificationLabels[verified_by].label.toLowerCase()}`}>
        {verified_by !== verification.kind && (
          <Hint>No model is set up that could judge, so you are asked after each iteration.</Hint>
        )}
        {verification.kind === 'command' ? (
          <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap' }}>
            {verification.spec.code}
          </Code>
        ) : (
          <Lines text={Object.values(verification.spec)[0] || verificationLabels[verification.kind].description} />
        )}
      </Section>
      {constraints && (
        <Section title="Constraints">
          <Lines text={constraints} />
        </Section>
      )}
    </Stack>
  )
}

const Lines = ({ text }: { text: string }) => (
  <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
    {text}
  </Text>
)

/** The steps of the agent, as they are made. */
export const LogView = ({ loop: { conversation_id, status } }: { loop: LoopDetails }) =>
  conversation_id ? (
    <ConversationLog conversation={conversation_id} running={status === 'running'} />
  ) : (
    <Hint py="md">The agent has not started yet.</Hint>
  )
