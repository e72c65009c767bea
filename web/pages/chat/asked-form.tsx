import type { FilePart } from '../../../runtime/chat/schema.ts'
import type { FormField } from '../../../runtime/form-fields.ts'
import { announceError } from '../../parts/announce.ts'
import { AnswerForm } from '../../parts/answer-form.tsx'
import { FieldsForm } from '../../parts/fields-form.tsx'
import type { Values } from '../../parts/schema/schema.ts'
import type { ChatSession } from './state/session.ts'

interface Asked {
  options?: string[]
  fields?: (Pick<FormField, 'name' | 'type'> & Partial<FormField>)[]
}

const blank = { label: '', options: [], required: false, placeholder: '', value: '' }

const isFile = (value: unknown): value is FilePart => typeof value === 'object' && value !== null && 'file_id' in value

const textOf = (value: unknown): string =>
  value === true
    ? 'yes'
    : [value]
        .flat()
        .map((one) => (isFile(one) ? one.name : one))
        .join(', ')

/** The answers as the person's message, a line for each field. */
const linesOf = (fields: readonly { name: string }[], values: Values): string =>
  fields.flatMap(({ name }) => (name in values ? `${name}: ${textOf(values[name])}` : [])).join('\n')

/** Answers a question of the agent with its options or fields. Any other message is an answer too. */
export function AskedForm({ session, input }: { session: ChatSession; input: unknown }) {
  const { options = [], fields = [] } = input as Asked
  if (fields.length > 0)
    return (
      <FieldsForm
        fields={fields.map((field) => ({ ...blank, ...field }))}
        answer={({ values }) => session.send(linesOf(fields, values), { files: Object.values(values).filter(isFile) })}
      />
    )
  const answer = { mutate: (text: string) => void session.send(text).catch(announceError), isPending: false }
  return <AnswerForm options={options} free={false} answer={answer} />
}
