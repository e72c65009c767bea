import {
  ActionIcon,
  Button,
  Collapse,
  Fieldset,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
  Tooltip,
  UnstyledButton,
} from '@mantine/core'
import { IconMathFunction, IconTrash } from '@tabler/icons-react'
import { type ComponentType, memo, type ReactNode, use, useState } from 'react'
import { titleOf } from '../../../runtime/label.ts'
import { Chevron } from '../chevron.tsx'
import { isInput } from '../tool-input.tsx'
import { Hint } from '../typography.tsx'
import { useStable } from '../use-stable.ts'
import {
  EnumField,
  EnumsField,
  EventsField,
  type FieldProps,
  FormContext,
  isExpression,
  JsonField,
  LinesField,
  NumberField,
  SecretField,
  TagsField,
  TextField,
  ThingField,
  ThingsField,
  Toggle,
} from './fields.tsx'
import { isPicked } from './pickers.ts'
import classes from './schema.module.css'
import {
  anyOfText,
  below,
  type Errors,
  formatOf,
  isAny,
  kindOf,
  messageOf,
  optionsOfEnum,
  plainOf,
  type Schema,
  textOfAny,
  type Values,
} from './schema.ts'

/** By name: false hides a field, a schema changes parts of its own, and a component replaces it. */
export type Fields = Readonly<Record<string, boolean | Schema | ((props: FieldProps) => ReactNode)>>

/** A field, several in columns, or a group with a title, which may be folded until it is needed. */
export type Layout = readonly (string | readonly string[] | LayoutGroup)[]
interface LayoutGroup {
  title: string
  fields: Layout
  folded?: true
}

export interface SchemaFormProps {
  schema: Schema
  value: unknown
  change(value: unknown, settled?: boolean): void
  /** Messages by path, such as `headers.accept`. */
  errors: Errors
  fields?: Fields
  /** Default: the order of the schema. Members that it does not name come last. */
  layout?: Layout
}

/** The fields of an object with a schema. */
export function SchemaForm({ schema, value, change, errors, fields = {}, layout = [] }: SchemaFormProps) {
  const { sparse } = use(FormContext)
  const values = isInput(value) ? value : {}
  const members = schema.properties ?? {}
  const set = useStable((name: string, next: unknown, settled?: boolean) => {
    const { [name]: _, ...others } = values
    change(next === undefined && sparse ? others : { ...values, [name]: next }, settled)
  })
  const field = (name: string) => {
    const own = fields[name]
    const written = members[name]
    const member = written && typeof own === 'object' ? { ...written, ...own } : written
    if (!member || own === false || (member.format === 'api-only' && !own)) return null
    const { schema: plain, nullable } = plainOf(member)
    const props = {
      label: titleOf(name, plain),
      schema: plain,
      value: values[name],
      nullable,
      required: schema.required?.includes(name) === true && member.default === undefined,
      error: errors[name] ?? (hasMembers(plain) ? undefined : messageOf(below(errors, name))),
      errors: below(errors, name),
    }
    const change = (next: unknown, settled?: boolean) => set(name, next, settled)
    return (
      <div key={name}>
        {typeof own === 'function' ? own({ ...props, change }) : <Member {...props} name={name} set={set} />}
      </div>
    )
  }
  const placed = new Set(namesIn(layout))
  const rest = Object.keys(members).filter((name) => !placed.has(name))
  const isInvalid = (name: string) => name in errors || Object.keys(below(errors, name)).length > 0
  return <Stack gap="sm">{[...layout, ...rest].map((part) => shown(part, field, isInvalid))}</Stack>
}

interface MemberProps extends Omit<FieldProps, 'change'> {
  name: string
  set(name: string, value: unknown, settled?: boolean): void
}

/** A key in one field does not draw the others. */
const Member = memo(({ name, set, ...props }: MemberProps) => (
  <Field {...props} change={(value, settled) => set(name, value, settled)} />
))

/** Whether its members show their own messages. */
const hasMembers = (schema: Schema): boolean =>
  schema.type === 'object' || schema.items?.properties !== undefined || kindOf(schema) !== undefined

export const namesIn = (layout: Layout): string[] =>
  layout.flatMap((part) => (typeof part === 'string' ? [part] : 'fields' in part ? namesIn(part.fields) : [...part]))

function shown(
  part: Layout[number],
  field: (name: string) => ReactNode,
  isInvalid: (name: string) => boolean,
): ReactNode {
  if (typeof part === 'string') return field(part)
  if ('fields' in part) {
    const members = <Stack gap="sm">{part.fields.map((inner) => shown(inner, field, isInvalid))}</Stack>
    if (part.folded)
      return (
        <Folded key={part.title} title={part.title} isOpen={namesIn(part.fields).some(isInvalid)}>
          {members}
        </Folded>
      )
    return (
      <Fieldset key={part.title} legend={part.title} p="sm">
        {members}
      </Fieldset>
    )
  }
  return (
    <SimpleGrid key={part.join()} cols={{ base: 1, xs: 2 }} spacing="sm">
      {part.map(field)}
    </SimpleGrid>
  )
}

/** A group that opens with its title, or because a message is inside. */
function Folded({ title, isOpen, children }: { title: string; isOpen: boolean; children: ReactNode }) {
  const [opened, setOpened] = useState(false)
  const shown = opened || isOpen
  return (
    <div>
      <UnstyledButton onClick={() => setOpened(!shown)} aria-expanded={shown} fz="sm" fw={550}>
        <Group gap={4}>
          <Chevron opened={shown} /> {title}
        </Group>
      </UnstyledButton>
      <Collapse expanded={shown} mt="sm">
        {shown && children}
      </Collapse>
    </div>
  )
}

const byFormat: Record<string, ComponentType<FieldProps>> = {
  secret: SecretField,
  events: EventsField,
  json: JsonField,
  tags: TagsField,
}

/** The field for a value with a schema. */
export function Field(props: FieldProps) {
  const { schema, value, nullable } = props
  const { Expression, formats = {} } = use(FormContext)
  const format = formatOf(schema)
  const Own = formats[format] ?? byFormat[format]
  if (Own) return <Own {...props} />
  if (kindOf(schema)) return <KindField {...props} />
  const isText = schema.type === 'string' && !schema.enum && !isPicked(format)
  if (isAny(schema) || isText) return <TextField {...props} />
  if (Expression && isExpression(value)) return <TextField {...props} leave={() => props.change(undefined)} />
  if (schema.properties) return nullable ? <OptionalGroup {...props} /> : <GroupField {...props} />
  if (schema.type === 'object') return <PairsField {...props} />
  if (schema.type === 'array' && schema.items?.properties) return <ItemsField {...props} />
  const Plain = plainField(schema)
  return (
    <WithExpression {...props}>
      <Plain {...props} />
    </WithExpression>
  )
}

function plainField(schema: Schema): ComponentType<FieldProps> {
  const { type, items } = schema
  if (type === 'array') {
    if (isPicked(formatOf(items ?? {}))) return ThingsField
    return items?.enum ? EnumsField : items?.type === 'string' ? LinesField : JsonField
  }
  if (isPicked(formatOf(schema))) return ThingField
  if (schema.enum) return EnumField
  if (type === 'boolean') return Toggle
  return type === 'number' || type === 'integer' ? NumberField : JsonField
}

/** A field whose value may be computed instead. */
function WithExpression({ label, schema, change, children }: FieldProps & { children: ReactNode }) {
  if (!use(FormContext).Expression) return children
  const isToggle = schema.type === 'boolean'
  return (
    <Group wrap="nowrap" gap={4} align={isToggle ? 'center' : 'flex-end'}>
      <div className="grow">{children}</div>
      <Tooltip label="Use an expression">
        <ActionIcon
          variant="subtle"
          color="gray"
          mb={isToggle ? 0 : 4}
          aria-label={`Use an expression for ${label.toLowerCase()}`}
          onClick={() => change('=')}
        >
          <IconMathFunction size={17} />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

/** One of several kinds of objects: the kind, and below it the fields of the kind. */
function KindField({ label, schema, value, change, error, errors, nullable }: FieldProps) {
  const name = kindOf(schema) ?? ''
  const variants = (schema.oneOf ?? schema.anyOf ?? []).filter(({ properties }) => properties)
  const kindIn = ({ properties }: Schema) => properties?.[name]?.const
  const values = isInput(value) ? value : null
  const current = variants.find((variant) => kindIn(variant) === values?.[name])
  const options = optionsOfEnum(variants.map(kindIn), schema.labels)
  const none = nullable || !current ? [{ value: '', label: schema.labels?.null ?? 'Choose one' }] : []
  const choose = (kind: string) => {
    const next = variants.find((variant) => kindIn(variant) === kind)
    if (next) change({ ...keptBy(next, values ?? {}), [name]: kind }, Object.keys(next.properties ?? {}).length === 1)
    else change(null, true)
  }
  return (
    <Stack gap="sm">
      <NativeSelect
        label={label}
        description={schema.description}
        error={error ?? errors[name]}
        data={[...none, ...options]}
        value={String(values?.[name] ?? '')}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {current && Object.keys(current.properties ?? {}).length > 1 && (
        <SchemaForm schema={current} fields={{ [name]: false }} value={values} change={change} errors={errors} />
      )}
    </Stack>
  )
}

/** What another kind has too: the message of an action stays when its kind changes. */
const keptBy = ({ properties = {} }: Schema, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => name in properties && value !== properties[name]?.default),
  )

interface BoxProps extends Pick<FieldProps, 'label' | 'schema' | 'error'> {
  children: ReactNode
}

const Box = ({ label, schema, error, children }: BoxProps) => (
  <Fieldset legend={label} p="sm">
    <Stack gap="sm">
      {schema.description && <Hint>{schema.description}</Hint>}
      {children}
      {error && (
        <Text size="xs" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </Stack>
  </Fieldset>
)

/** The members of a group, in a box. */
export const GroupField = (props: FieldProps & Pick<SchemaFormProps, 'fields' | 'layout'>) => (
  <Box {...props}>
    <SchemaForm {...props} />
  </Box>
)

/** An optional group. Turning it on sets default values. */
function OptionalGroup({ label, schema, value, change, error, errors }: FieldProps) {
  const values = isInput(value) ? value : null
  return (
    <Stack gap="sm">
      <Switch
        label={label}
        description={schema.description}
        checked={values !== null}
        error={error}
        onChange={(event) => change(event.currentTarget.checked ? beginning(schema) : null, true)}
      />
      {values && (
        <div style={{ paddingLeft: 'var(--mantine-spacing-xl)' }}>
          <SchemaForm schema={schema} value={values} change={change} errors={errors} />
        </div>
      )}
    </Stack>
  )
}

/** Initial values: 22:00 to 07:00 for a range of times, and zero for a number that allows it. */
function beginning({ properties = {} }: Schema): Values {
  const times = ['22:00', '07:00']
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member], index): [string, unknown][] => {
      const { schema, nullable } = plainOf(member)
      if (schema.default !== undefined) return [[name, schema.default]]
      if (schema.format === 'time-of-day') return [[name, times[index]]]
      if (nullable) return [[name, null]]
      return schema.type === 'string' ? [] : [[name, Math.max(0, schema.minimum ?? 0)]]
    }),
  )
}

interface RemovableProps {
  /** Name for screen readers. */
  label: string
  remove: () => void
  children: ReactNode
}

const Removable = ({ label, remove, children }: RemovableProps) => (
  <div className={classes.item}>
    {children}
    <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${label}`} onClick={remove}>
      <IconTrash size={16} />
    </ActionIcon>
  </div>
)

/** A list of objects, such as the cases of a switch. */
function ItemsField(props: FieldProps) {
  const { label, schema, value, change, errors } = props
  const items = Array.isArray(value) ? value : []
  const one = label.replace(/ies$/, 'y').replace(/s$/, '').toLowerCase()
  return (
    <Box {...props}>
      {items.map((item, index) => (
        <Removable
          // biome-ignore lint/suspicious/noArrayIndexKey: the items have no other identity
          key={index}
          label={`${one} ${index + 1}`}
          remove={() => change(items.toSpliced(index, 1), true)}
        >
          <SchemaForm
            schema={schema.items ?? {}}
            value={item}
            change={(next, settled) => change(items.with(index, next), settled)}
            errors={below(errors, String(index))}
          />
        </Removable>
      ))}
      <div>
        <Button size="compact-sm" variant="default" onClick={() => change([...items, {}])}>
          Add {one}
        </Button>
      </div>
    </Box>
  )
}

interface PairValueProps extends Pick<FieldProps, 'label' | 'value' | 'error'> {
  change(value: unknown): void
}

function PairValue({ label, value, error, change }: PairValueProps) {
  const { Expression } = use(FormContext)
  const text = textOfAny(value)
  const set = (next: string) => change(anyOfText(next))
  const input = { autosize: true, maxRows: 8, 'aria-label': label, error }
  if (Expression) return <Expression label={label} input={input} value={text} change={set} isAny />
  return <Textarea {...input} value={text} onChange={(event) => set(event.currentTarget.value)} />
}

/** An object with any names, such as headers: a name and a value per line. */
function PairsField(props: FieldProps) {
  const { value, change, errors } = props
  const pairs = Object.entries(isInput(value) ? value : {})
  const { Expression } = use(FormContext)
  const set = (index: number, pair: [string, unknown]) => change(Object.fromEntries(pairs.with(index, pair)))
  return (
    <Box {...props}>
      {pairs.map(([name, member], index) => (
        <Removable
          // biome-ignore lint/suspicious/noArrayIndexKey: a pair keeps its place while its name is typed
          key={index}
          label={name || `value ${index + 1}`}
          remove={() => change(Object.fromEntries(pairs.toSpliced(index, 1)), true)}
        >
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              w="40%"
              aria-label={`Name ${index + 1}`}
              value={name}
              onChange={(event) => set(index, [event.currentTarget.value, member])}
            />
            <div className="grow">
              <PairValue
                label={name || `Value ${index + 1}`}
                value={member}
                error={errors[name]}
                change={(next) => set(index, [name, next])}
              />
            </div>
          </Group>
        </Removable>
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
        {pairs.length === 0 && Expression && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => change('=')}>
            Use an expression
          </Button>
        )}
      </Group>
    </Box>
  )
}
