import {
  ActionIcon,
  Autocomplete,
  Button,
  Fieldset,
  Group,
  NativeSelect,
  NumberInput,
  Select,
  Skeleton,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { IconMathFunction, IconTrash } from '@tabler/icons-react'
import { type ReactNode, Suspense, useState } from 'react'
import type { Schedule } from '../../../runtime/scheduler/schema.ts'
import { pretty } from '../../parts/json.ts'
import { labelOf } from '../../parts/label-of.ts'
import { lazily } from '../../parts/lazily.ts'
import { isInput } from '../../parts/tool-input.tsx'
import { ExpressionPreview } from './expression-preview.tsx'
import classes from './workflows.module.css'

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
  /** What the text names, such as an agent, or `multiline`. */
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

interface FormProps {
  schema: ParamSchema
  value: unknown
  change(value: unknown): void
  /** Messages by path, such as `headers.accept`. */
  errors: Readonly<Record<string, string>>
  choices: Choices
}

/** The form for an object with a schema. Below an expression is its value in the execution that is shown. */
export function SchemaForm({ schema, value, change, errors, choices }: FormProps) {
  const values = isInput(value) ? value : {}
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...others } = values
    change(next === undefined ? others : { ...values, [name]: next })
  }
  return (
    <Stack gap="sm">
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <Field
          key={name}
          label={member.title ?? labelOf(name)}
          schema={variantOf(member)}
          value={values[name]}
          required={schema.required?.includes(name) === true && member.default === undefined}
          change={(next) => set(name, next)}
          error={errors[name]}
          errors={below(errors, name)}
          choices={choices}
        />
      ))}
    </Stack>
  )
}

interface FieldProps extends FormProps {
  label: string
  required: boolean
  error: string | undefined
}

/** The messages of the members of `name`. */
const below = (errors: Readonly<Record<string, string>>, name: string) =>
  Object.fromEntries(
    Object.entries(errors)
      .filter(([path]) => path.startsWith(`${name}.`))
      .map(([path, message]) => [path.slice(name.length + 1), message]),
  )

/** The schema without `null` as an alternative; of several alternatives the first. */
function variantOf(schema: ParamSchema): ParamSchema {
  const variants = schema.anyOf?.filter(({ type }) => type !== 'null')
  const [first] = variants ?? []
  if (!first) return schema
  const { anyOf: _, ...outer } = schema
  const texts = variants?.flatMap((variant) => (variant.const === undefined ? [] : [variant.const]))
  if (texts?.length === variants?.length) return { ...outer, type: 'string', enum: texts ?? [] }
  // A number or a text that computes it: the field of the number has a button for the text.
  const plain = variants?.find(({ type }) => type !== 'string') ?? first
  return variants?.length === 1 || plain.type !== 'object' ? { ...plain, ...outer } : outer
}

export const isExpression = (value: unknown): value is string =>
  typeof value === 'string' && (value.startsWith('=') || value.includes('{{'))

function Field(props: FieldProps) {
  const { schema, value } = props
  if (schema['x-format'] === 'schedule') return <ScheduleParam {...props} />
  if (isAny(schema)) return <TextField {...props} />
  if (schema.type === 'string' && !schema.enum && !props.choices[schema['x-format'] ?? '']?.length)
    return <TextField {...props} />
  if (isExpression(value)) return <TextField {...props} leave={() => props.change(undefined)} />
  if (schema.type === 'object' && schema.properties) return <GroupField {...props} />
  if (schema.type === 'object') return <PairsField {...props} />
  if (schema.type === 'array' && schema.items?.properties) return <ItemsField {...props} />
  return <WithExpression {...props}>{plainField(props)}</WithExpression>
}

const ScheduleField = lazily(() => import('../scheduler/schedule-field.tsx'), 'ScheduleField')

/** The schedule that starts the workflow. */
const ScheduleParam = ({ value, change, error, errors }: FieldProps) => (
  <Suspense fallback={<Skeleton h={120} />}>
    <ScheduleField
      value={isSchedule(value) ? value : null}
      change={(schedule) => change(schedule ?? undefined)}
      errors={{
        ...(error !== undefined && { schedule: error }),
        ...Object.fromEntries(Object.entries(errors).map(([path, text]) => [`schedule.${path}`, text])),
      }}
    />
  </Suspense>
)

const isSchedule = (value: unknown): value is Schedule =>
  isInput(value) && ['cron', 'every', 'at'].includes(String(value.type))

/** A field whose value may be computed instead. */
const WithExpression = ({ label, change, children }: FieldProps & { children: ReactNode }) => (
  <Group wrap="nowrap" gap={4} align="flex-end">
    <div className="grow">{children}</div>
    <Tooltip label="Use an expression">
      <ActionIcon
        variant="subtle"
        color="gray"
        mb={4}
        aria-label={`Use an expression for ${label.toLowerCase()}`}
        onClick={() => change('=')}
      >
        <IconMathFunction size={17} />
      </ActionIcon>
    </Tooltip>
  </Group>
)

function plainField(props: FieldProps): ReactNode {
  const { label, schema, value, change, error, required, choices } = props
  const own = { label, description: schema.description, error, required }
  const named = choices[schema['x-format'] ?? '']
  if (named) return <ChoiceField {...props} options={named} />
  const options = schema.enum?.map((one) => optionOf(one))
  if (options && schema.type !== 'array')
    return (
      <NativeSelect
        {...own}
        data={[
          ...(value === undefined || value === null ? [{ value: '', label: 'Default' }] : []),
          ...options,
        ]}
        value={value === undefined || value === null ? String(schema.default ?? '') : String(value)}
        onChange={({ currentTarget }) => change(currentTarget.value === '' ? undefined : currentTarget.value)}
      />
    )
  if (schema.type === 'boolean')
    return (
      <Switch
        {...own}
        required={false}
        checked={(value ?? schema.default) === true}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    )
  if (schema.type === 'number' || schema.type === 'integer')
    return (
      <NumberInput
        {...own}
        value={typeof value === 'number' ? value : ''}
        placeholder={schema.default === undefined ? undefined : String(schema.default)}
        min={schema.minimum}
        max={schema.maximum}
        allowDecimal={schema.type === 'number'}
        onChange={(next) => change(next === '' ? undefined : Number(next))}
      />
    )
  if (schema.type === 'array' && schema.items?.type === 'string') return <LinesField {...props} />
  return <JsonField {...props} />
}

/** A select of existing objects, such as agents. A selected object that was deleted stays visible. */
function ChoiceField({
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
      nothingFoundMessage="No matches"
      onChange={(next) => change(next ?? undefined)}
    />
  )
}

/** A schema that allows any value. */
const isAny = ({ type, enum: choices, properties, items }: ParamSchema): boolean =>
  [type, choices, properties, items].every((part) => part === undefined)

const textOfAny = (value: unknown): string => (typeof value === 'string' ? value : pretty(value))

/** Text is text; what begins like an object or a list is read as JSON. */
function anyOfText(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || text.includes('{{')) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const optionOf = (value: unknown) => ({ value: String(value), label: labelOf(String(value)) })

/** Characters above which a text field has room for several lines. */
const longText = 300

/** A text, which may contain expressions. `leave` returns to the field without an expression. */
function TextField({
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
    placeholder: schema.default === undefined ? undefined : textOfAny(schema.default),
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
          minRows={language === 'javascript' ? 6 : 1}
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

function GroupField({ label, schema, error, ...rest }: FieldProps) {
  return (
    <Fieldset legend={label} p="sm">
      {schema.description && (
        <Text size="xs" c="dimmed" mb="xs">
          {schema.description}
        </Text>
      )}
      <SchemaForm schema={schema} {...rest} />
      <Problem text={error} />
    </Fieldset>
  )
}

/** A list of objects, such as the cases of a switch. */
function ItemsField({ label, schema, value, change, error, errors, choices }: FieldProps) {
  const items = Array.isArray(value) ? value : []
  const one = label.replace(/s$/, '')
  return (
    <Fieldset legend={label} p="sm">
      <Stack gap="sm">
        {schema.description && (
          <Text size="xs" c="dimmed">
            {schema.description}
          </Text>
        )}
        {items.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other identity
          <div key={index} className={classes.item}>
            <SchemaForm
              schema={schema.items ?? {}}
              value={item}
              change={(next) => change(items.with(index, next))}
              errors={below(errors, String(index))}
              choices={choices}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${one.toLowerCase()} ${index + 1}`}
              onClick={() => change(items.toSpliced(index, 1))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </div>
        ))}
        <Button size="compact-sm" variant="default" onClick={() => change([...items, {}])}>
          Add {one.toLowerCase()}
        </Button>
        <Problem text={error} />
      </Stack>
    </Fieldset>
  )
}

/** An object with any names, such as headers: a name and a value per line. */
function PairsField({ label, schema, value, change, error, errors }: FieldProps) {
  const pairs = Object.entries(isInput(value) ? value : {})
  const set = (index: number, pair: [string, unknown]) => change(Object.fromEntries(pairs.with(index, pair)))
  return (
    <Fieldset legend={label} p="sm">
      <Stack gap="xs">
        {schema.description && (
          <Text size="xs" c="dimmed">
            {schema.description}
          </Text>
        )}
        {pairs.map(([name, member], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pair keeps its place while its name is typed
          <div key={index} className={classes.item}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                w="40%"
                aria-label={`Name ${index + 1}`}
                value={name}
                onChange={(event) => set(index, [event.currentTarget.value, member])}
              />
              <div className="grow">
                <Textarea
                  autosize
                  maxRows={8}
                  aria-label={name || `Value ${index + 1}`}
                  value={textOfAny(member)}
                  error={errors[name]}
                  onChange={(event) => set(index, [name, anyOfText(event.currentTarget.value)])}
                />
                {isExpression(member) && <ExpressionPreview text={member} />}
              </div>
            </Group>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name || `value ${index + 1}`}`}
              onClick={() => change(Object.fromEntries(pairs.toSpliced(index, 1)))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </div>
        ))}
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            disabled={pairs.some(([name]) => name === '')}
            onClick={() => change(Object.fromEntries([...pairs, ['', '']]))}
          >
            Add value
          </Button>
          {pairs.length === 0 && (
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => change('=')}>
              Use an expression
            </Button>
          )}
        </Group>
        <Problem text={error} />
      </Stack>
    </Fieldset>
  )
}

const Problem = ({ text }: { text: string | undefined }) =>
  text && (
    <Text size="xs" c="var(--mantine-color-error)">
      {text}
    </Text>
  )

function LinesField({ label, schema, value, change, error, required }: FieldProps) {
  const [draft, setDraft] = useState(() => (Array.isArray(value) ? value.join('\n') : ''))
  return (
    <Textarea
      label={label}
      description={schema.description ? `${schema.description}. One per line` : 'One per line'}
      error={error}
      required={required}
      value={draft}
      autosize
      minRows={2}
      maxRows={12}
      onChange={({ currentTarget }) => {
        setDraft(currentTarget.value)
        change(currentTarget.value.split('\n').filter((line) => line.trim() !== ''))
      }}
    />
  )
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
  const [draft, setDraft] = useState(() => (value === undefined ? '' : pretty(value)))
  const [invalid, setInvalid] = useState(false)
  const type = (text: string) => {
    setDraft(text)
    try {
      change(text.trim() === '' ? undefined : JSON.parse(text))
      setInvalid(false)
    } catch {
      setInvalid(true)
    }
  }
  return (
    <Textarea
      label={label}
      description={schema.description ? `${schema.description} (JSON)` : 'JSON'}
      error={invalid ? 'This is not valid JSON' : error}
      required={required}
      value={draft}
      autosize
      minRows={2}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      onChange={(event) => type(event.currentTarget.value)}
    />
  )
}
