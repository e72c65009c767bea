import { Autocomplete, Button, Select, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { pretty } from '../../parts/json.ts'
import { ExpressionPreview } from './expression-preview.tsx'

/** The JSON Schema of a value, as node types have it. */
export interface ParamSchema {
  type?: string | string[]
  title?: string
  description?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  minimum?: number
  maximum?: number
  maxLength?: number
  /** The whole text is code in this language. */
  'x-language'?: 'jsonata' | 'javascript'
  /** What the text names, such as an agent; `multiline` or `json`. */
  'x-format'?: string
  anyOf?: ParamSchema[]
  oneOf?: ParamSchema[]
  items?: ParamSchema
  properties?: Record<string, ParamSchema>
  required?: string[]
  additionalProperties?: boolean | ParamSchema
}

export interface Choices {
  /** Values to choose from, by the format of a schema. */
  [format: string]: readonly { value: string; label: string }[]
}

export interface FormProps {
  schema: ParamSchema
  value: unknown
  change(value: unknown): void
  /** Messages by path, such as `headers.accept`. */
  errors: Readonly<Record<string, string>>
  choices: Choices
}

export interface FieldProps extends FormProps {
  label: string
  required: boolean
  error: string | undefined
}

export const isExpression = (value: unknown): value is string =>
  typeof value === 'string' && (value.startsWith('=') || value.includes('{{'))

/** A schema that allows any value. */
export const isAny = ({ type, enum: choices, properties, items }: ParamSchema): boolean =>
  [type, choices, properties, items].every((part) => part === undefined)

export const textOfAny = (value: unknown): string => (typeof value === 'string' ? value : pretty(value))

/** Text is text; what begins like an object or a list is read as JSON. */
export function anyOfText(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.includes('{{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value that is used if the field is empty. */
export const placeholderOf = ({ default: usual }: ParamSchema): string | undefined =>
  usual === undefined || usual === null ? undefined : textOfAny(usual)

/** Characters above which a text field has room for several lines. */
const longText = 300

/** A text, which may contain expressions. `leave` returns to the field without an expression. */
export function TextField({
  label,
  schema,
  value,
  change,
  error,
  required,
  leave,
}: FieldProps & { leave?: () => void }) {
  const any = isAny(schema)
  const text = textOfAny(value)
  const language = schema['x-language']
  const isCode = language !== undefined || isExpression(text)
  const long = any || schema['x-format'] === 'multiline' || (schema.maxLength ?? longText + 1) > longText
  const set = (next: string) => change(next === '' && !required ? undefined : any ? anyOfText(next) : next)
  const input = {
    label,
    description: schema.description,
    error,
    required,
    value: text,
    placeholder: placeholderOf(schema),
    spellCheck: !isCode,
    autoComplete: 'off',
    ...(isCode && { classNames: { input: 'mono' } }),
  }
  const shown = language === 'jsonata' && text.trim() !== '' ? `=${text}` : text
  return (
    <div>
      {long ? (
        <Textarea
          {...input}
          autosize
          minRows={language === 'javascript' ? 6 : schema['x-format'] === 'multiline' ? 3 : 1}
          maxRows={16}
          onChange={(event) => set(event.currentTarget.value)}
        />
      ) : (
        <TextInput {...input} onChange={(event) => set(event.currentTarget.value)} />
      )}
      {language !== 'javascript' && isExpression(shown) && <ExpressionPreview text={shown} />}
      {leave && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={leave}>
          Use a fixed value
        </Button>
      )}
    </div>
  )
}

/** A select of existing objects, such as agents. A selected object that was deleted stays visible. */
export function ChoiceField({
  label,
  schema,
  value,
  change,
  error,
  required,
  options,
}: FieldProps & { options: Choices[string] }) {
  const chosen = typeof value === 'string' && value !== '' ? value : null
  const own = {
    label: label.replace(/ ID$/, ''),
    description: schema.description,
    error,
    required,
    limit: 100,
  }
  // Vendors add models often, so any name can be entered.
  if (schema['x-format'] === 'model')
    return (
      <Autocomplete
        {...own}
        placeholder="Default"
        data={options.map((option) => option.value)}
        value={chosen ?? ''}
        onChange={(next) => change(next === '' ? undefined : next)}
      />
    )
  const isKnown = chosen === null || options.some((option) => option.value === chosen)
  return (
    <Select
      {...own}
      data={isKnown ? [...options] : [{ value: chosen, label: chosen }, ...options]}
      value={chosen}
      placeholder={required ? 'Choose one' : 'Default'}
      searchable
      clearable={!required}
      nothingFoundMessage={options.length === 0 ? 'There are none yet' : 'No matches'}
      onChange={(next) => change(next ?? undefined)}
    />
  )
}

/**
 * The text of a field whose value has several spellings. It stays as typed until the value changes from outside, as by undo.
 */
function useSpelling(value: unknown, textOf: (value: unknown) => string) {
  const keyOf = (one: unknown) => JSON.stringify(one ?? {})
  const [typed, setTyped] = useState({ key: keyOf(value), text: textOf(value) })
  const text = typed.key === keyOf(value) ? typed.text : textOf(value)
  return [text, (next: string, of: unknown) => setTyped({ key: keyOf(of), text: next })] as const
}

const linesOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : '')

export function LinesField({ label, schema, value, change, error, required }: FieldProps) {
  const [text, setText] = useSpelling(value, linesOf)
  return (
    <Textarea
      label={label}
      description={schema.description ? `${schema.description}. One per line` : 'One per line'}
      error={error}
      required={required}
      value={text}
      autosize
      minRows={2}
      maxRows={12}
      onChange={({ currentTarget }) => {
        const lines = currentTarget.value.split('\n').filter((line) => line.trim() !== '')
        setText(currentTarget.value, lines)
        change(lines)
      }}
    />
  )
}

const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

/** Undefined for an empty text, null for one that is not JSON. */
function parse(text: string): { value: unknown } | null {
  try {
    return { value: text.trim() === '' ? undefined : JSON.parse(text) }
  } catch {
    return null
  }
}

/** Any value as JSON. It changes only while the text is valid. */
export function JsonField({
  label,
  schema,
  value,
  change,
  error,
  required,
}: Omit<FieldProps, 'errors' | 'choices'>) {
  const [text, setText] = useSpelling(value, jsonOf)
  const type = (next: string) => {
    const parsed = parse(next)
    setText(next, parsed ? parsed.value : value)
    if (parsed) change(parsed.value)
  }
  return (
    <Textarea
      label={label}
      description={schema.description ? `${schema.description} (JSON)` : 'JSON'}
      error={parse(text) ? error : 'This is not valid JSON'}
      required={required}
      value={text}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}
