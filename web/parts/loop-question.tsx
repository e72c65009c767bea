import type { Loop } from '../../runtime/loops/schema.ts'
import { AnswerForm } from './answer-form.tsx'
import { Markdown } from './markdown/markdown.tsx'
import { Time } from './time.tsx'
import { Hint, TextLink } from './typography.tsx'
import { useChange } from './use-change.ts'

type Kind = NonNullable<Loop['question']>['kind']

/** What a loop waits for, and what an answer does. */
const texts: Record<Kind, { asks: string; field: string; hint: string }> = {
  question: {
    asks: 'has a question',
    field: 'Your answer',
    hint: 'The next iteration starts with your answer.',
  },
  verify: {
    asks: 'is it good enough?',
    field: 'Or say what is missing',
    hint: '“Accept” ends the loop. “Keep going”, or what you write, starts the next iteration.',
  },
  stuck: {
    asks: 'makes no progress',
    field: 'Or say what to do differently',
    hint: 'The next iteration starts with your answer; “Stop” ends the loop.',
  },
  repeat: {
    asks: 'was interrupted',
    field: '',
    hint: 'The loop continues with your answer.',
  },
}

/** What a blocked loop needs to know, with the answer in place. */
export function LoopQuestion({ loop: { id, name, question } }: { loop: Loop }) {
  const answer = useChange(
    (api, given: string) => api.post('/api/loops/{id}/answer', { params: { id }, body: { answer: given } }),
    { stale: ['/api/loops', '/api/inbox'] },
  )
  if (!question) return null
  const text = texts[question.kind]
  return (
    <article className="row" style={{ display: 'block' }} aria-label={`Question of ${name}`}>
      <Hint>
        <TextLink href={`/loops/${id}`} size="xs" underline="always">
          {name}
        </TextLink>{' '}
        {text.asks} · <Time at={question.asked_at} />
      </Hint>
      <Markdown text={question.question} />
      <AnswerForm options={question.options} free={question.kind !== 'repeat'} label={text.field} answer={answer} />
      <Hint mt={4}>{text.hint}</Hint>
    </article>
  )
}
