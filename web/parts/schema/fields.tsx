import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NativeSelect,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Textarea,
  type TextareaProps,
  TextInput,
} from '@mantine/core'
import { type ComponentType, createContext, type ReactNode, use, useState } from 'react'
import { useEndpoint } from '../../api/query.ts'
import { Choice } from '../choice.tsx'
import { eventChoices } from '../events.ts'
import type { Option } from '../options.ts'
import { Hint, TextLink } from '../typography.tsx'
import { all, hrefOf, useOptions } from './pickers.ts'
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
  /** Set if values may be computed: the field of a text that may contain expressions. */
  Expression?: ComponentType<ExpressionProps> | undefined
  /** Fields of formats that only one area has. */
  formats?: Readonly<Record<string, ComponentType<FieldProps>>>
}

export interface ExpressionProps {
  /** As in a label or, without a visible one, `aria-label`. */
  label: string
  input: TextareaProps
  value: string
  change(text: string): void
  /** The text as a whole is an expression. */
  isCode?: boolean
  /** The field takes any value, not only text. */
  isAny?: boolean
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
const oneLine = ['line', 'username']
const code = ['expression', 'markdown', 'code', 'json']

/** A text, which may contain expressions. `leave` returns to the field without an expression. */
export function TextField(props: FieldProps & { leave?: () => void }) {
  const { schema, value, change, leave, nullable } = props
  const { Expression } = use(FormContext)
  const empty = useEmpty(props)
  const any = isAny(schema)
  const text = value === null ? '' : textOfAny(value)
  const language = schema['x-language']
  const format = formatOf(schema)
  const isCode = language !== undefined || code.includes(format) || (Expression && isExpression(text))
  const type = inputTypes[format]
  const long =
    !type &&
    !oneLine.includes(format) &&
    (any || isCode || format in minRows || (schema.maxLength ?? longText + 1) > longText)
  const set = (next: string) => change(next === '' ? empty : any ? anyOfText(next) : next)
  const input = {
    ...ownOf(props),
    value: text,
    placeholder: placeholderOf(schema, nullable),
    spellCheck: !isCode,
    autoComplete: 'off',
    maxLength: schema.maxLength,
    ...(format === 'username' && { autoCapitalize: 'none' }),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
    ...(isCode && { classNames: { input: 'mono' } }),
  }
  const rows = {
    autosize: true,
    minRows: language === 'javascript' ? 6 : (minRows[format] ?? 1),
    maxRows: format === 'markdown' ? 28 : 16,
  }
  return (
    <div>
      {Expression && language !== 'javascript' ? (
        <Expression
          label={props.label}
          input={{ ...input, ...rows }}
          value={text}
          change={set}
          isCode={language === 'jsonata' || leave !== undefined}
          isAny={any}
        />
      ) : long ? (
        <Textarea {...input} {...rows} />
      ) : (
        <TextInput {...input} type={type ?? 'text'} w={type === 'time' ? 140 : undefined} />
      )}
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
      placeholder={placeholderOf(schema, nullable)}
      min={schema.minimum ?? schema.exclusiveMinimum}
      max={schema.maximum}
      step={schema.step}
      clampBehavior="none"
      maw={320}
      allowDecimal={schema.type === 'number'}
      thousandSeparator={formatOf(schema) === 'count' ? ' ' : ''}
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
  const none = nullable || (schema.default === undefined && !(props.required && value))
  const options = optionsOfEnum(schema.enum ?? [], schema.labels)
  if (schema.hints)
    return (
      <Choice
        {...ownOf(props)}
        choices={choicesOf(options, schema.hints)}
        input={{ value: value ?? schema.default, onChange: (next: string) => change(next, true) }}
      />
    )
  return (
    <NativeSelect
      {...ownOf(props)}
      data={[
        ...(none ? [{ value: '', label: schema.labels?.null ?? (nullable ? 'Default' : 'Choose one') }] : []),
        ...options,
      ]}
      value={String(value ?? schema.default ?? '')}
      maw={420}
      onChange={({ currentTarget }) =>
        change(currentTarget.value === '' ? (nullable ? empty : undefined) : currentTarget.value, true)
      }
    />
  )
}

const choicesOf = (options: readonly Option[], hints: Record<string, string>) =>
  Object.fromEntries(options.map(({ value, label }) => [value, { label, description: hints[value] ?? '' }]))

export function EnumsField(props: FieldProps) {
  const { schema, value, change } = props
  const { items = {} } = schema
  const options = optionsOfEnum(items.enum ?? [], items.labels)
  const chosen = [value ?? schema.default ?? []].flat().map(String)
  if (!items.labels)
    return <MultiSelect {...ownOf(props)} data={options} value={chosen} onChange={(next) => change(next, true)} />
  return (
    <Checkbox.Group {...ownOf(props)} value={chosen} onChange={(next) => change(next, true)}>
      <Stack gap="xs" mt={6}>
        {options.map((option) => (
          <Checkbox key={option.value} {...option} description={items.hints?.[option.value]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

/** A select of things, such as agents. One that was deleted stays visible. */
export function ThingField(props: FieldProps) {
  const { schema, value, change, required } = props
  const format = formatOf(schema)
  const loaded = useOptions(format)
  const options = loaded ?? []
  const empty = useEmpty(props)
  const fallback = schema.default ?? null
  const chosen = typeof value === 'string' && value !== '' ? value : (fallback as string | null)
  const own = { ...ownOf(props), limit: 100, maw: 420 }
  // Vendors add models often, so any name can be entered.
  if (format === 'model')
    return (
      <Autocomplete
        {...own}
        placeholder={schema.labels?.null ?? 'Default'}
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
      openOnFocus={false}
      allowDeselect={false}
      clearable={!required && fallback === null}
      clearButtonProps={{ 'aria-label': `Clear ${own.label.toLowerCase()}` }}
      nothingFoundMessage={options.length === 0 ? 'There are none yet' : 'No matches'}
      onChange={(next) => next !== value && change(next ?? empty, true)}
    />
  )
}

/** Several of them. Those that were deleted stay visible and can be removed. */
export function ThingsField(props: FieldProps) {
  const { schema, value, change } = props
  const format = formatOf(schema.items ?? {})
  const loaded = useOptions(format)
  const options = loaded ?? []
  const href = hrefOf(format)
  const chosen = [value ?? []].flat().map(String)
  const missing = chosen.filter((one) => !options.some((option) => option.value === one))
  return (
    <MultiSelect
      {...ownOf(props)}
      description={
        href ? (
          <TextLink href={href} inherit underline="always">
            {schema.description}
          </TextLink>
        ) : (
          schema.description
        )
      }
      data={[...options, ...missing.map((one) => ({ value: one, label: loaded ? `${one} (missing)` : one }))]}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No matches"
      value={chosen}
      onChange={(next) => change(next.at(-1) === all ? [all] : next.filter((one) => one !== all), true)}
    />
  )
}

/** Event types, and patterns for all events of an area. */
export function EventsField(props: FieldProps) {
  const types = useEndpoint('/api/webhooks/events').data?.events ?? []
  return (
    <MultiSelect
      {...ownOf(props)}
      data={eventChoices(types)}
      searchable
      value={[props.value ?? []].flat().map(String)}
      onChange={(next) => props.change(next, true)}
    />
  )
}

/** A write-only value, of which only the last characters are shown. */
export function SecretField(props: FieldProps) {
  const { schema, value, change, nullable } = props
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
        placeholder={configured ? (hint ?? '…') : props.required ? undefined : (schema.labels?.null ?? 'None')}
        autoComplete="new-password"
        minLength={schema.minLength}
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

/** A list of short texts. */
export const TagsField = (props: FieldProps) => (
  <TagsInput
    {...ownOf(props)}
    maxTags={props.schema.maxItems}
    acceptValueOnBlur
    value={[props.value ?? []].flat().map(String)}
    onChange={(next) => props.change(next, true)}
  />
)

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
