import { Alert, type StackProps, Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { useApi } from '../app/services.tsx'
import { announce } from './announce.ts'
import type { ConfirmByNameProps } from './confirm-by-name.tsx'
import { changesTo, EntityForm, useApiForm } from './form.tsx'
import { FormDrawer } from './form-drawer.tsx'
import { Loaded } from './list.tsx'
import type { Schema, Values } from './schema/schema.ts'
import { type Fields, type Layout, namesIn, SchemaForm, type SchemaFormProps } from './schema/schema-form.tsx'
import { schemaFor, useBodySchemas } from './schema/use-body-schema.ts'
import { isInput } from './tool-input.tsx'
import { useChange } from './use-change.ts'

/** What a page says about the form of its things. */
export interface FormOptions<Item> {
  /** Of one whose name is not a member. */
  name?: (item: Item) => string
  /** Of the drawer. Default: `New <noun>` or `Edit <name>`. */
  title?: (item: Item | null) => string
  /** Of the button that makes one. Default: `Create <noun>`. */
  verb?: string
  /** Where one is made. Default: that of the list. */
  createPath?: string
  /** Values of a new one that are not defaults. */
  start?: Values
  /** The values of a new one as they are sent. */
  complete?: (values: Values) => Values
  /** `set` changes several members at once. */
  fields?: Fields | ((values: Values, item: Item | null, set: (part: Values) => void) => Fields)
  layout?: Layout
  /** Instead of a layout: the fields of each tab. The others are not shown. */
  tabs?: Readonly<Record<string, Layout>>
  /** What deleting one does beside that. False: it cannot be deleted here. */
  effect?: string | false
  /** Below the fields. */
  more?: (values: Values, item: Item | null) => ReactNode
}

export interface ResourceFormProps<Item> extends FormOptions<Item> {
  /** Of the collection, such as `/api/hooks`. */
  path: string
  /** Of the placeholders in `path`. */
  params?: Record<string, string>
  /** Prefixes of addresses that are fetched again. Default: `path`. */
  stale?: readonly string[]
  noun: string
  /** Null for a new one. */
  item: Item | null
  close: () => void
  saved?: ((answer: Values, isNew: boolean) => unknown) | undefined
  removed?: (() => void) | undefined
}

/** A drawer with the form that makes, changes and deletes a thing of a collection; its fields are those of the schema. */
export const ResourceDrawer = <Item extends object>(props: ResourceFormProps<Item>) => (
  <FormDrawer title={headingOf(props)} close={props.close}>
    {({ leave }) => <ResourceForm {...props} close={leave} />}
  </FormDrawer>
)

const headingOf = <Item extends object>({ title, item, noun }: ResourceFormProps<Item>) =>
  title?.(item) ?? (item ? `Edit ${nameOf(item) || noun}` : `New ${noun}`)

export function ResourceForm<Item extends object>(props: ResourceFormProps<Item>) {
  const { item, path, createPath = path } = props
  const { query, one, create, change } = useBodySchemas(item ? path : createPath)
  return (
    <Loaded query={query} what="The form">
      {() => <LoadedForm {...props} one={one} schema={schemaFor(create, change, item === null)} />}
    </Loaded>
  )
}

const nameOf = (item: object): string => String((item as { name?: unknown }).name ?? '')

interface LoadedProps<Item> extends ResourceFormProps<Item> {
  schema: Schema
  /** The path of one of them. */
  one: string
}

function LoadedForm<Item extends object>(props: LoadedProps<Item>) {
  const {
    path,
    createPath = path,
    one,
    noun,
    item,
    close,
    saved,
    removed,
    schema,
    start,
    complete = (values: Values) => values,
    fields,
    layout,
    tabs,
    more,
  } = props
  const call = useCall()
  const [, last = 'id'] = one.match(/\{(\w+)\}$/) ?? []
  const params = { ...props.params, [last]: String((item as { id?: string } | null)?.id ?? '') }
  const initial = initialOf(schema, item ?? start ?? {})
  const form = useApiForm<Values, Values>({
    initial,
    save: (values, _, before) =>
      item
        ? call('put', one, { params, body: changesTo(values, before) })
        : call('post', createPath, { params, body: changesTo(complete(values), initialOf(schema, {})) }),
    stale: props.stale ?? [path],
    saved(answer) {
      if (nameOf(answer)) announce(`${nameOf(answer)} was saved`)
      close()
      return saved?.(answer, item === null)
    },
  })
  const remove = useChange(() => call('delete', one, { params }), {
    stale: props.stale ?? [path],
    done() {
      announce(`${item ? nameOf(item) || `The ${noun}` : ''} was deleted`)
      close()
      removed?.()
    },
  })
  const input = {
    ...inputOf(form),
    schema,
    fields: typeof fields === 'function' ? fields(form.values, item, form.setValues) : (fields ?? {}),
  }
  return (
    <EntityForm
      form={form}
      noValidate={tabs !== undefined}
      verb={item ? 'Save' : (props.verb ?? `Create ${noun}`)}
      close={close}
      remove={item !== null && props.effect !== false && deletion(props, remove as never)}
    >
      <div ref={item ? null : focusFirst}>
        {tabs ? <TabbedForm {...input} tabs={tabs} /> : <SchemaForm {...input} layout={layout ?? []} />}
      </div>
      {more?.(form.values, item)}
    </EntityForm>
  )
}

interface TabbedFormProps extends Omit<SchemaFormProps, 'layout'> {
  tabs: Readonly<Record<string, Layout>>
}

/** A form in tabs. The tab with the first error is shown, and its message, which another tab may hide. */
function TabbedForm({ tabs, schema, errors, ...form }: TabbedFormProps) {
  const [tab, setTab] = useState(Object.keys(tabs)[0] ?? null)
  const [firstError = ''] = Object.keys(errors)
  useEffect(() => {
    const [name = ''] = firstError.split('.')
    const shown = Object.keys(tabs).find((label) => namesIn(tabs[label] ?? []).includes(name))
    if (name && shown) setTab(shown)
  }, [firstError, tabs])
  return (
    <>
      {firstError && (
        <Alert color="red" role="alert" title="Not saved" mb="md">
          {errors[firstError]}
        </Alert>
      )}
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          {Object.keys(tabs).map((label) => (
            <Tabs.Tab key={label} value={label}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(tabs).map(([label, layout]) => (
          <Tabs.Panel key={label} value={label} pt="md">
            <SchemaForm {...form} errors={errors} schema={partOf(schema, layout)} layout={layout} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  )
}

const partOf = (schema: Schema, layout: Layout): Schema => ({
  ...schema,
  properties: Object.fromEntries(namesIn(layout).map((name) => [name, schema.properties?.[name] ?? {}])),
})

type Form = ReturnType<typeof useApiForm<Values, Values>>

const inputOf = (form: Form) => ({
  value: form.values,
  change: (next: unknown) => form.setValues(next as Values),
  errors: form.errors as Record<string, string>,
})

/** A call of an endpoint that is known by its path only. */
function useCall() {
  const api = useApi()
  return (method: 'put' | 'post' | 'delete', path: string, input: object) =>
    (api[method] as unknown as (path: string, input: object) => Promise<Values>)(path, input)
}

interface EndpointFormProps extends Omit<StackProps, 'form'> {
  path: string
  params?: Record<string, string>
  /** Prefixes of addresses that are fetched again. Default: `path`. */
  stale?: readonly string[]
  /** The current value, of which changes are sent; without it, everything is posted. */
  value?: object
  verb?: string
  fields?: Fields
  layout?: Layout
  close?: () => void
  saved?: (answer: Values) => unknown
}

/** A form for the body of one endpoint, such as settings. */
export function EndpointForm(props: EndpointFormProps) {
  const { query, create, replace } = useBodySchemas(props.path)
  const schema = props.value ? replace : create
  return (
    <Loaded query={query} what="The form">
      {() => <LoadedEndpointForm key={JSON.stringify(props.value)} {...props} schema={schema ?? {}} />}
    </Loaded>
  )
}

function LoadedEndpointForm(props: EndpointFormProps & { schema: Schema }) {
  const { path, params = {}, stale = [path], value, verb = 'Save', schema, children, ...rest } = props
  const { fields = {}, layout = [], close, saved, ...stack } = rest
  const call = useCall()
  const form = useApiForm<Values, Values>({
    initial: initialOf(schema, value ?? {}),
    save: (values, changes) =>
      value ? call('put', path, { params, body: changes }) : call('post', path, { params, body: values }),
    stale,
    saved(answer) {
      close?.()
      return saved?.(answer)
    },
  })
  return (
    <EntityForm form={form} verb={verb} close={close} disabled={value !== undefined && !form.dirty} {...stack}>
      <SchemaForm {...inputOf(form)} schema={schema} fields={fields} layout={layout} />
      {children}
    </EntityForm>
  )
}

/** The first field that must be filled. The attribute is for the drawer, which may not have set the focus yet. */
function focusFirst(node: HTMLElement | null) {
  const first =
    node?.querySelector<HTMLElement>(':required') ?? node?.querySelector<HTMLElement>('input, textarea, select')
  first?.setAttribute('data-autofocus', '')
  first?.focus()
}

const deletion = <Item extends object>(
  { noun, item, effect, name = nameOf }: Pick<ResourceFormProps<Item>, 'noun' | 'item' | 'effect' | 'name'>,
  run: ConfirmByNameProps['run'],
): Omit<ConfirmByNameProps, 'children'> => ({
  name: (item && name(item)) || noun,
  what: noun,
  run,
  ...(effect && { effect }),
})

/** The members that the form has; those that are not set have their defaults. */
const initialOf = ({ properties = {} }: Schema, values: object): Values =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      (values as Values)[name] === undefined ? defaultOf(member) : (values as Values)[name],
    ]),
  )

/** A group without values has those of its members. */
const defaultOf = ({ default: value, properties = {} }: Schema): unknown =>
  isInput(value)
    ? {
        ...Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, defaultOf(member)])),
        ...value,
      }
    : value
