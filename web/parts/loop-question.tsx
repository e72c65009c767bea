import type { Loop } from '../../runtime/loops/schema.ts'
import { AnswerForm } from './answer-form.tsx'
import { Hint } from './hint.tsx'
import { Markdown } from './markdown/markdown.tsx'
import { TextLink } from './text-link.tsx'
import { Time } from './time.tsx'
import { useChange } from './use-change.ts'

const asked = {
  question: 'asked',
  verify: 'asks whether its goal is reached',
  stuck: 'makes no progress',
  repeat: 'was interrupted',
} as const

/** What a blocked loop needs to know, with the answer in place. */
export function LoopQuestion({ loop: { id, name, question } }: { loop: Loop }) {
  const answer = useChange(
    (api, text: string) => api.post('/api/loops/{id}/answer', { params: { id }, body: { answer: text } }),
    { stale: ['/api/loops'] },
  )
  if (!question) return null
  return (
    <article className="row" style={{ display: 'block' }} aria-label={`Question of ${name}`}>
      <Hint>
        <TextLink href={`/loops/${id}`} size="xs" underline="always">
          {name}
        </TextLink>{' '}
        {asked[question.kind]} <Time at={question.asked_at} />
      </Hint>
      <Markdown text={question.question} />
      <AnswerForm options={question.options} free={question.kind !== 'repeat'} answer={answer} />
      <Hint mt={4}>The loop continues with your answer.</Hint>
    </article>
  )
}
