import { z } from 'zod'

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

/** The name of a field in the page: names of people may be anything. */
export const inputName = (index: number): string => `f${index}`

export const labelOf = ({ label, name }: FormField): string => label || name

/** An answer, or what is wrong with it, by position of the field. */
export interface Answers {
  values: Record<string, unknown>
  problems: Map<number, string>
}

/** What was sent for fields, by `inputName`; a file that does not exist is undefined. */
export interface Sent {
  texts: URLSearchParams
  files: ReadonlyMap<string, unknown>
}

/** Values by name of the field, as a program sends them, like those of a page. */
export function sentOf(fields: readonly FormField[], values: Record<string, unknown>): Sent {
  const texts = fields.flatMap(({ name, type, value: usual }, index) => {
    // An empty text would tick a box and choose an option.
    const value = Object.hasOwn(values, name) ? values[name] : usual || null
    const all = [type === 'checkbox' && value === true ? 'on' : value].flat()
    return all.flatMap((one): [string, string][] =>
      typeof one === 'string' || typeof one === 'number' ? [[inputName(index), String(one)]] : [],
    )
  })
  return { texts: new URLSearchParams(texts), files: new Map() }
}

/** Reads what was sent for fields. Those that were left empty are null. */
export function answersOf(fields: readonly FormField[], { texts, files }: Sent): Answers {
  const problems = new Map<number, string>()
  const values = fields.map((field, index) => {
    const name = inputName(index)
    const read = field.type === 'file' ? fileIn(files, name) : readers[field.type](field, texts.getAll(name))
    const isEmpty = read === null || read === false || (Array.isArray(read) && read.length === 0)
    if (field.required && isEmpty) problems.set(index, 'This is required')
    else if (read === undefined) problems.set(index, wrong[field.type] ?? 'Choose one of the options')
    return [field.name, read ?? null] as const
  })
  return { values: Object.fromEntries(values), problems }
}

const fileIn = (files: Sent['files'], name: string): unknown => (files.has(name) ? files.get(name) : null)

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
  file: 'Choose a file of yours',
  number: 'Enter a number',
  email: 'Enter an email address',
  date: 'Enter a date',
}
