import { z } from 'zod'
import type { FileValue } from './file-value.ts'

/** What a form asks for. */
export const FormField = z.object({
  name: z.string().trim().min(1).max(200).meta({ title: 'Name', description: 'Of the field in the output' }),
  label: z.string().max(500).default('').meta({ title: 'Label', description: 'Leave blank for the name' }),
  type: z
    .enum([
      'text',
      'multiline',
      'number',
      'email',
      'password',
      'date',
      'select',
      'multiselect',
      'checkbox',
      'file',
      'hidden',
    ])
    .default('text')
    .meta({ title: 'Type' }),
  options: z
    .array(z.string().max(500))
    .max(200)
    .default([])
    .meta({ title: 'Options', description: 'For select and multiselect' }),
  required: z.boolean().default(false).meta({ title: 'Required' }),
  placeholder: z.string().max(500).default('').meta({ title: 'Placeholder' }),
  value: z.string().max(2_000).default('').meta({ title: 'Value at the beginning' }),
})
export type FormField = z.output<typeof FormField>

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

/** The name of a field in the page: names of people may be anything. */
export const inputName = (index: number): string => `f${index}`

export const labelOf = ({ label, name }: FormField): string => label || name

/** An answer, or what is wrong with it, by position of the field. */
export interface Answers {
  values: Record<string, unknown>
  problems: Map<number, string>
}

/** What was sent for a form, by `inputName`. */
export interface Sent {
  texts: URLSearchParams
  files: ReadonlyMap<string, FileValue>
}

/** Reads what was sent for the fields of a form. Fields that were left empty are null; files are also in `$binary`. */
export function answersOf({ fields, time_field }: Form, { texts, files }: Sent, now: string): Answers {
  const problems = new Map<number, string>()
  const binary: Record<string, FileValue> = {}
  const values = fields.map((field, index) => {
    const name = inputName(index)
    const file = field.type === 'file' ? (files.get(name) ?? null) : null
    if (file) binary[field.name.replace(/\W/g, '_')] = file
    const read = field.type === 'file' ? file : readers[field.type](field, texts.getAll(name))
    const isEmpty = read === null || read === false || (Array.isArray(read) && read.length === 0)
    if (field.required && isEmpty) problems.set(index, 'This is required')
    else if (read === undefined) problems.set(index, wrong[field.type] ?? 'Choose one of the options')
    return [field.name, read ?? null] as const
  })
  const further = {
    ...(time_field && { [time_field]: now }),
    ...(Object.keys(binary).length > 0 && { $binary: binary }),
  }
  return { values: { ...Object.fromEntries(values), ...further }, problems }
}

/** Undefined for what is not possible, null for nothing. */
type Reader = (field: FormField, sent: string[]) => unknown

const text: Reader = (_, [value = '']) => (value.trim() === '' ? null : value.trim())

const matching =
  (is: (value: string) => boolean, to: (value: string) => unknown = (value) => value): Reader =>
  (field, sent) => {
    const value = text(field, sent)
    return typeof value !== 'string' ? value : is(value) ? to(value) : undefined
  }

const readers: Record<Exclude<FormField['type'], 'file'>, Reader> = {
  text,
  multiline: text,
  hidden: text,
  password: (_, [value = '']) => (value === '' ? null : value),
  number: matching((value) => Number.isFinite(Number(value)), Number),
  email: matching((value) => z.email().safeParse(value).success),
  date: matching((value) => z.iso.date().safeParse(value).success),
  select: (field, sent) => matching((value) => field.options.includes(value))(field, sent),
  multiselect: ({ options }, sent) => (sent.every((value) => options.includes(value)) ? sent : undefined),
  checkbox: (_, sent) => sent.length > 0,
}

const wrong: Partial<Record<FormField['type'], string>> = {
  number: 'Enter a number',
  email: 'Enter an email address',
  date: 'Enter a date',
}
