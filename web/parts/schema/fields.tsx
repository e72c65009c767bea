import {
  Autocomplete,
  Button,
  Group,
  MultiSelect,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Select,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type ComponentType, createContext, type ReactNode, use, useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { Hint } from '../typography.tsx'
import { useOptions } from './pickers.ts'
import {
  anyOfText,
  type Errors,
  formatOf,
  isAny,
  optionsOfEnum,
  placeholderOf,
  type Schema,
  textOfAny,
} from './schema.ts'

export interface FieldProps {
  label: string
  /** Without `null` as an alternative. */
  schema: Schema
  value: unknown
  /** `settled`: the person has chosen it. Text is settled when its field loses the focus. */
  change(value: unknown, settled?: boolean): void
  error: string | undefined
  /** Messages of its members, by path. */
  errors: Errors
  required: boolean
  /** Whether no value is null. */
  nullable: boolean
}

interface FormSettings {
  /** Members without a value are left out: the parameters of a node. */
  sparse?: boolean
  /** Set if values may be computed: shows the value of a text with expressions. */
  Preview?: ComponentType<{ text: string }> | undefined
  /** Fields of formats that only one area has. */
  formats?: Readonly<Record<string, ComponentType<FieldProps>>>
}

export const FormContext = createContext<FormSettings>({})

export const isExpression = (value: unknown): value is string =>
  typeof value === 'string' && (value.startsWith('=') || value.includes('{{'))

/** The value of a field that was emptied. */
function useEmpty({ nullable, required, schema }: Omit<FieldProps, 'change' | 'label'>) {
  const { sparse } = use(FormContext)
  if (nullable) return sparse ? undefined : null
  if (sparse) return required ? '' : undefined
  return required || schema.default !== undefined ? '' : undefined
}

const ownOf = ({ label, schema, error, required }: FieldProps) => ({
  label,
  description: schema.description,
  error,
  required,
  withAsterisk: false,
})

/** Characters above which a text field has room for several lines. */
const longText = 300
const inputTypes: Record<string, string> = { uri: 'url', email: 'email', 'time-of-day': 'time' }
const minRows: Record<string, number> = { multiline: 3, markdown: 14 }
const code = ['expression', 'markdown', 'code', 'json']

/** A text, which may contain expressions. `leave` returns to the field without an expression. */
export function TextField(props: FieldProps & { leave?: () => void }) {
  const { schema, value, change, leave, nullable } = props
  const { Preview } = use(FormContext)
  const empty = useEmpty(props)
  const any = isAny(schema)
  const text = value === null ? '' : textOfAny(value)
  const language = schema['x-language']
  const format = formatOf(schema)
  const isCode = language !== undefined || code.includes(format) || (Preview && isExpression(text))
  const type = inputTypes[format]
  const long = !type && (any || isCode || format in minRows || (schema.maxLength ?? longText + 1) > longText)
  const set = ({ currentTarget: { value: next } }: { currentTarget: { value: string } }) =>
    change(next === '' ? empty : any ? anyOfText(next) : next)
  const input = {
    ...ownOf(props),
    value: text,
    placeholder: placeholderOf(schema) ?? (nullable ? 'Default' : undefined),
    spellCheck: !isCode,
    autoComplete: 'off',
    maxLength: schema.maxLength,
    onChange: set,
    ...(isCode && { classNames: { input: 'mono' } }),
  }
  const shown = language === 'jsonata' && text.trim() !== '' ? `=${text}` : text
  return (
    <div>
      {long ? (
        <Textarea
          {...input}
          autosize
          minRows={language === 'javascript' ? 6 : (minRows[format] ?? 1)}
          maxRows={format === 'markdown' ? 28 : 16}
        />
      ) : (
        <TextInput {...input} type={type ?? 'text'} w={type === 'time' ? 140 : undefined} />
      )}
      {Preview && language !== 'javascript' && isExpression(shown) && <Preview text={shown} />}
      {leave && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={leave}>
          Use a fixed value
        </Button>
      )}
    </div>
  )
}

export function NumberField(props: FieldProps) {
  const { schema, value, change, nullable } = props
  const { sparse } = use(FormContext)
  const isMoney = schema.unit === 'USD'
  return (
    <NumberInput
      {...ownOf(props)}
      required={props.required || !(nullable || sparse)}
      value={typeof value === 'number' ? value : ''}
      placeholder={placeholderOf(schema) ?? (nullable ? 'Default' : undefined)}
      min={schema.minimum ?? schema.exclusiveMinimum}
      max={schema.maximum}
      clampBehavior="none"
      maw={320}
      allowDecimal={schema.type === 'number'}
      {...(isMoney ? { prefix: '$' } : schema.unit && { suffix: ` ${schema.unit}` })}
      onChange={(next) => change(next === '' ? (nullable && !sparse ? null : undefined) : Number(next))}
    />
  )
}

export const Toggle = ({ label, schema, value, change, error }: FieldProps) => (
  <Switch
    label={label}
    description={schema.description}
    error={error}
    checked={(value ?? schema.default) === true}
    onChange={(event) => change(event.currentTarget.checked, true)}
  />
)

export function EnumField(props: FieldProps) {
  const { schema, value, change, nullable } = props
  const empty = useEmpty(props)
  const none = schema.default === undefined || nullable
  return (
    <NativeSelect
      {...ownOf(props)}
      data={[
        ...(none ? [{ value: '', label: schema.labels?.null ?? (nullable ? 'Default' : 'Choose one') }] : []),
        ...optionsOfEnum(schema.enum ?? [], schema.labels),
      ]}
      value={String(value ?? schema.default ?? '')}
      maw={420}
      onChange={({ currentTarget }) =>
        change(currentTarget.value === '' ? (nullable ? empty : undefined) : currentTarget.value, true)
      }
    />
  )
}

export const EnumsField = (props: FieldProps) => (
  <MultiSelect
    {...ownOf(props)}
    data={optionsOfEnum(props.schema.items?.enum ?? [], props.schema.items?.labels)}
    value={[props.value ?? props.schema.default ?? []].flat().map(String)}
    onChange={(next) => props.change(next, true)}
  />
)

/** A select of things, such as agents. One that was deleted stays visible. */
export function ThingField(props: FieldProps) {
  const { schema, value, change, required } = props
  const format = formatOf(schema)
  const loaded = useOptions(format)
  const options = loaded ?? []
  const empty = useEmpty(props)
  const chosen = typeof value === 'string' && value !== '' ? value : null
  const own = { ...ownOf(props), limit: 100, maw: 420 }
  // Vendors add models often, so any name can be entered.
  if (format === 'model')
    return (
      <Autocomplete
        {...own}
        placeholder="Default"
        data={options.map((option) => option.value)}
        value={chosen ?? ''}
        onChange={(next) => change(next === '' ? empty : next)}
      />
    )
  const isKnown = chosen === null || options.some((option) => option.value === chosen)
  return (
    <Select
      {...own}
      data={isKnown ? [...options] : [{ value: chosen, label: loaded ? chosen : '…' }, ...options]}
      value={chosen}
      placeholder={required ? 'Choose one' : (schema.labels?.null ?? 'Default')}
      searchable
      allowDeselect={false}
      clearable={!required}
      clearButtonProps={{ 'aria-label': `Clear ${own.label.toLowerCase()}` }}
      nothingFoundMessage={options.length === 0 ? 'There are none yet' : 'No matches'}
      onChange={(next) => next !== value && change(next ?? empty, true)}
    />
  )
}

export const ThingsField = (props: FieldProps) => {
  const options = useOptions(formatOf(props.schema.items ?? {})) ?? []
  return (
    <MultiSelect
      {...ownOf(props)}
      data={[...options]}
      searchable
      clearable
      value={[props.value ?? []].flat().map(String)}
      onChange={(next) => props.change(next, true)}
    />
  )
}

/** Event types, and patterns for all events of an area. */
export function EventsField(props: FieldProps) {
  const types = useEndpoint('/api/webhooks/events').data?.events ?? []
  const subjects = [...new Set(types.map((type) => `${type.split('.')[0]}.*`))]
  return (
    <MultiSelect
      {...ownOf(props)}
      data={[
        { group: 'All events of an area', items: ['*', ...subjects] },
        { group: 'Single events', items: types },
      ]}
      searchable
      maxDropdownHeight={260}
      value={[props.value ?? []].flat().map(String)}
      onChange={(next) => props.change(next, true)}
    />
  )
}

/** A write-only value, of which only the last characters are shown. */
export function SecretField(props: FieldProps) {
  const { value, change, nullable } = props
  const { configured, hint } = (typeof value === 'object' && value ? value : {}) as {
    configured?: boolean
    hint?: string | null
  }
  const empty = useEmpty(props)
  return (
    <div>
      <PasswordInput
        {...ownOf(props)}
        value={typeof value === 'string' ? value : ''}
        placeholder={configured ? (hint ?? '…') : 'None'}
        autoComplete="new-password"
        onChange={({ currentTarget }) => change(currentTarget.value === '' ? empty : currentTarget.value)}
      />
      {configured && (
        <Group gap="xs" mt={6}>
          <Hint>A value is stored. Enter another to replace it.</Hint>
          {nullable && (
            <Button size="compact-xs" variant="subtle" color="red" onClick={() => change(null, true)}>
              Remove
            </Button>
          )}
        </Group>
      )}
    </div>
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

/** A list of texts, one per line. */
export function LinesField(props: FieldProps) {
  const { schema, value, change } = props
  const [text, setText] = useSpelling(value, linesOf)
  return (
    <Textarea
      {...ownOf(props)}
      description={schema.description ? `${schema.description}. One per line` : 'One per line'}
      value={text}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      classNames={{ input: 'mono' }}
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

interface JsonFieldProps extends Pick<FieldProps, 'label' | 'value' | 'change'> {
  schema?: Schema
  error?: ReactNode
  required?: boolean
}

/** Any value as JSON. It changes only while the text is valid. */
export function JsonField({ label, schema = {}, value, change, error, required = false }: JsonFieldProps) {
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
