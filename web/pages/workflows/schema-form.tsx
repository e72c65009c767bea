import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Skeleton,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { IconMathFunction, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Schedule } from '../../../runtime/schedules/schedule.ts'
import { lazily } from '../../parts/lazily.ts'
import { labelOf } from '../../parts/text.ts'
import { isInput } from '../../parts/tool-input.tsx'
import { ExpressionPreview, useExpressions } from './expression-preview.tsx'
import {
  anyOfText,
  ChoiceField,
  type FieldProps,
  type FormProps,
  isAny,
  isExpression,
  JsonField,
  LinesField,
  type ParamSchema,
  placeholderOf,
  TextField,
  textOfAny,
} from './schema-fields.tsx'
import classes from './workflows.module.css'

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

function Field(props: FieldProps) {
  const { schema, value } = props
  if (schema['x-format'] === 'schedule') return <ScheduleParam {...props} />
  if (isAny(schema)) return <TextField {...props} />
  if (schema.type === 'string' && !schema.enum && !props.choices[schema['x-format'] ?? ''])
    return <TextField {...props} />
  if (isExpression(value)) return <TextField {...props} leave={() => props.change(undefined)} />
  if (schema.type === 'object' && schema.properties) return <GroupField {...props} />
  if (schema.type === 'object' && schema['x-format'] !== 'json') return <PairsField {...props} />
  if (schema.type === 'array' && schema.items?.properties) return <ItemsField {...props} />
  return <WithExpression {...props}>{plainField(props)}</WithExpression>
}

const ScheduleField = lazily(
  () => import('../scheduler/schedule-field.tsx'),
  'ScheduleField',
  <Skeleton h={120} />,
)

/** The schedule that starts the workflow. */
const ScheduleParam = ({ value, change, error, errors }: FieldProps) => (
  <>
    <ScheduleField
      value={isSchedule(value) ? value : null}
      change={(schedule) => change(schedule ?? undefined)}
      errors={{
        ...(error !== undefined && { schedule: error }),
        ...Object.fromEntries(Object.entries(errors).map(([path, text]) => [`schedule.${path}`, text])),
      }}
    />
  </>
)

const isSchedule = (value: unknown): value is Schedule =>
  isInput(value) && ['cron', 'every', 'at'].includes(String(value.type))

/** A field whose value may be computed instead. */
function WithExpression({ label, schema, change, children }: FieldProps & { children: ReactNode }) {
  if (!useExpressions()) return children
  return (
    <Group wrap="nowrap" gap={4} align={schema.type === 'boolean' ? 'center' : 'flex-end'}>
      <div className="grow">{children}</div>
      <Tooltip label="Use an expression">
        <ActionIcon
          variant="subtle"
          color="gray"
          mb={schema.type === 'boolean' ? 0 : 4}
          aria-label={`Use an expression for ${label.toLowerCase()}`}
          onClick={() => change('=')}
        >
          <IconMathFunction size={17} />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

function plainField(props: FieldProps): ReactNode {
  const { label, schema, value, change, error, required, choices } = props
  const own = { label, description: schema.description, error, required }
  const named = choices[schema['x-format'] ?? '']
  if (named) return <ChoiceField {...props} options={named} />
  const options = schema.enum?.map(optionOf)
  if (options && schema.type !== 'array')
    return (
      <NativeSelect
        {...own}
        data={[...(schema.default === undefined ? [{ value: '', label: 'Default' }] : []), ...options]}
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
        placeholder={placeholderOf(schema)}
        min={schema.minimum}
        max={schema.maximum}
        allowDecimal={schema.type === 'number'}
        onChange={(next) => change(next === '' ? undefined : Number(next))}
      />
    )
  if (schema.type === 'array' && schema.items?.enum)
    return (
      <MultiSelect
        {...own}
        data={schema.items.enum.map(optionOf)}
        value={[value ?? schema.default ?? []].flat().map(String)}
        onChange={(next) => change(next.length === 0 ? undefined : next)}
      />
    )
  if (schema.type === 'array' && schema.items?.type === 'string') return <LinesField {...props} />
  return <JsonField {...props} />
}

const optionOf = (value: unknown) => ({ value: String(value), label: labelOf(String(value)) })

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
  const expressions = useExpressions()
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
          {pairs.length === 0 && expressions && (
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
