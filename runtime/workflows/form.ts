import { z } from 'zod'
import { type Answers, answersOf, FormField, type Sent } from '../form-fields.ts'
import { iso, second } from '../time.ts'
import type { WaitingFor } from './schema.ts'

/** One page of a form, as its nodes have it. */
export const formShape = {
  title: z.string().max(500).default('').meta({ title: 'Title' }),
  description: z.string().max(5_000).default('').meta({ title: 'Text', 'x-format': 'multiline' }),
  fields: z.array(FormField).max(100).default([]).meta({ title: 'Fields' }),
  button: z.string().max(100).default('').meta({ title: 'Button', description: 'Default: Submit' }),
  time_field: z
    .string()
    .max(100)
    .default('submitted_at')
    .meta({ title: 'Field for the time', description: 'Of the output. Leave blank for none' }),
}
export const Form = z.object(formShape)
export type Form = z.output<typeof Form>

/** Until when a node waits for people; `then` says what it does afterwards. */
export const expiresAfter = (then: string) =>
  z
    .int()
    .min(1)
    .max(31_536_000)
    .nullable()
    .default(null)
    .meta({ title: 'Expires after (seconds)', description: `Then ${then}. Leave blank for never` })

export const expiryOf = (now: number, seconds: number | null): string | null =>
  seconds === null ? null : iso(now + seconds * second)

/** What a form shows at its end. */
export const formEndShape = {
  end_title: z.string().max(500).default('').meta({ title: 'Title at the end' }),
  end_text: z
    .string()
    .max(5_000)
    .default('Your answer was recorded.')
    .meta({ title: 'Text at the end', 'x-format': 'multiline' }),
  end_url: z
    .string()
    .max(8_000)
    .default('')
    .meta({ title: 'Address at the end', description: 'An http or https URL to continue at. Leave blank for none' }),
}
const FormEnd = z.object(formEndShape)

/** What the browser of whoever answered a form shows when there is no further page. */
export interface FormPage {
  title: string
  text: string
  url: string
  /** Only when the execution has ended. */
  at_end: boolean
}

export const pageOf = ({ end_title, end_text, end_url }: z.output<typeof FormEnd>, at_end: boolean): FormPage => ({
  title: end_title,
  text: end_text,
  url: URL.parse(end_url)?.protocol.startsWith('http') ? end_url : '',
  at_end,
})

/** Reads what was sent for a form, with its time. Files are also in `$binary`. */
export function formAnswers({ fields, time_field }: Form, sent: Sent, now: string): Answers {
  const { values, problems } = answersOf(fields, sent)
  const binary = fields.flatMap(({ name, type }) =>
    type === 'file' && values[name] ? [[name.replace(/\W/g, '_'), values[name]]] : [],
  )
  const further = {
    ...(time_field && { [time_field]: now }),
    ...(binary.length > 0 && { $binary: Object.fromEntries(binary) }),
  }
  return { values: { ...values, ...further }, problems }
}

/** What a node waits for, with what its run keeps: when it began, and the data of its type. */
type Wait = Pick<WaitingFor, 'kind'> & { data?: unknown }

const Asking = z.object({ fields: z.array(FormField), by_link: z.boolean().default(false) })

const askedBy = (wait: Wait | undefined) =>
  wait?.kind === 'form' || wait?.kind === 'approval' ? Asking.safeParse(dataOf(wait)).data : undefined

/** What the type of a node keeps with its wait. */
export const dataOf = (wait: Wait | undefined): unknown => (wait?.data as { data?: unknown } | undefined)?.data

/** What a waiting form or approval asks for. */
export const fieldsOf = (wait: Wait | undefined): FormField[] => askedBy(wait)?.fields ?? []

/** Whether whoever knows the address of an approval may answer it. */
export const isByLink = (wait: Wait): boolean => askedBy(wait)?.by_link === true
