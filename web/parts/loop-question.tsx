import type { Loop } from '../../runtime/loops/schema.ts'
import { AnswerForm } from './answer-form.tsx'
import phrases from './loop-question.json' with { type: 'json' }
import { Markdown } from './markdown/markdown.tsx'
import { Time } from './time.tsx'
import { Hint, TextLink } from './typography.tsx'
import { useChange } from './use-change.ts'

type Kind = NonNullable<Loop['question']>['kind']

/** What a loop waits for, and what an answer does. */
const texts: Record<Kind, { asks: string; field: string; hint: string }> = phrases

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
