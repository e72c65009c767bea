import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { Approval } from '../../runtime/chat/schema.ts'
import type { ApprovalAnswer } from '../api/chat.ts'
import { SmallButton } from './buttons.tsx'
import { FieldsForm } from './fields-form.tsx'
import type { Schema } from './schema/schema.ts'
import { Hint } from './typography.tsx'

interface QuestionFormProps {
  approval: Approval
  question: NonNullable<Approval['question']>
  answer(answer: ApprovalAnswer): Promise<unknown>
}

const decline = 'Decline'
const cancel = 'Cancel'

/** Answers what a tool server asks while one of its tools runs. */
export function QuestionForm({ approval: { id }, question, answer }: QuestionFormProps) {
  const { from, message, url } = question
  const send = (choice: string, edited_input?: Record<string, unknown>) =>
    answer({
      approval_id: id,
      approved: choice !== decline && choice !== cancel,
      dismissed: choice === cancel,
      ...(edited_input && { edited_input }),
    })
  return (
    <>
      <Text size="sm">{message}</Text>
      {url === null ? (
        <FieldsForm
          fields={[]}
          schema={shownAs(question.schema as Schema)}
          choices={[`Send to ${from}`, decline, cancel]}
          answer={({ choice, values }) => send(choice, values)}
          path="edited_input"
        />
      ) : (
        <PageButtons url={url} send={send} />
      )}
      <Hint>
        {url === null
          ? `Your answer is sent to the tool server ${from}. Do not enter passwords, keys or card numbers: tool servers may not ask for them here.`
          : `What you enter on ${url} goes to that site; hearthd does not see it.`}
      </Hint>
    </>
  )
}

/** Texts are of one line. */
const shownAs = (schema: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, member]) => [
      name,
      { title: name, ...(member.type === 'string' && !member.enum && { 'x-format': 'line' }), ...member },
    ]),
  ),
})

function PageButtons({ url, send }: { url: string; send(choice: string): Promise<unknown> }) {
  const sending = useMutation({ mutationFn: send })
  const open = `Open ${new URL(url).host}`
  return (
    <Group gap="xs">
      <Button
        component="a"
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        size="xs"
        onClick={() => sending.mutate(open)}
      >
        {open}
      </Button>
      {[decline, cancel].map((choice) => (
        <SmallButton key={choice} disabled={sending.isPending} onClick={() => sending.mutate(choice)}>
          {choice}
        </SmallButton>
      ))}
    </Group>
  )
}
