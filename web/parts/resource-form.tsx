import type { ReactNode } from 'react'
import { useApi } from '../app/services.tsx'
import { announce } from './announce.ts'
import type { ConfirmByNameProps } from './confirm-by-name.tsx'
import { changesTo, EntityForm, useApiForm } from './form.tsx'
import { FormDrawer } from './form-drawer.tsx'
import { Loaded } from './list.tsx'
import type { Schema, Values } from './schema/schema.ts'
import { type Fields, type Layout, SchemaForm } from './schema/schema-form.tsx'
import { schemaFor, useBodySchemas } from './schema/use-body-schema.ts'
import { useChange } from './use-change.ts'

/** What a page says about the form of its things. */
export interface FormOptions<Item> {
  /** Of the drawer. Default: `New <noun>` or `Edit <name>`. */
  title?: (item: Item | null) => string
  /** Of the button that makes one. Default: `Create <noun>`. */
  verb?: string
  /** Values of a new one that are not defaults. */
  start?: Values
  fields?: Fields | ((values: Values, item: Item | null) => Fields)
  layout?: Layout
  /** What deleting one does beside that. False: it cannot be deleted here. */
  effect?: string | false
  /** Below the fields. */
  more?: (values: Values, item: Item | null) => ReactNode
}

export interface ResourceFormProps<Item> extends FormOptions<Item> {
  /** Of the collection, such as `/api/hooks`. */
  path: string
  noun: string
  /** Null for a new one. */
  item: Item | null
  close: () => void
  saved?: ((answer: Values, isNew: boolean) => void) | undefined
  removed?: (() => void) | undefined
}

/** A drawer with the form that makes, changes and deletes a thing of a collection; its fields are those of the schema. */
export const ResourceDrawer = <Item extends object>(props: ResourceFormProps<Item>) => (
  <FormDrawer title={headingOf(props)} close={props.close}>
    {({ leave }) => <ResourceForm {...props} close={leave} />}
  </FormDrawer>
)

const headingOf = <Item extends object>({ title, item, noun }: ResourceFormProps<Item>) =>
  title?.(item) ?? (item ? `Edit ${nameOf(item)}` : `New ${noun}`)

export function ResourceForm<Item extends object>(props: ResourceFormProps<Item>) {
  const { query, create, change } = useBodySchemas(props.path)
  return (
    <Loaded query={query} what="The form">
      {() => <LoadedForm {...props} schema={schemaFor(create, change, props.item === null)} />}
    </Loaded>
  )
}

const nameOf = (item: object): string => String((item as { name?: unknown }).name ?? '')

function LoadedForm<Item extends object>(props: ResourceFormProps<Item> & { schema: Schema }) {
  const { path, noun, item, close, saved, removed, schema, start, fields, layout, more } = props
  const api = useApi()
  const one = `${path}/{id}`
  const params = { id: String((item as { id?: string } | null)?.id ?? '') }
  const call = { put: api.put, post: api.post, delete: api.delete } as unknown as Record<
    'put' | 'post' | 'delete',
    (path: string, input: object) => Promise<Values>
  >
  const initial = initialOf(schema, item ?? start ?? {})
  const form = useApiForm<Values, Values>({
    initial,
    save: (values, _, before) =>
      item
        ? call.put(one, { params, body: changesTo(values, before) })
        : call.post(path, { body: changesTo(values, initialOf(schema, {})) }),
    stale: [path],
    saved(answer) {
      close()
      saved?.(answer, item === null)
    },
  })
  const remove = useChange(() => call.delete(one, { params }), {
    stale: [path],
    done() {
      announce(`${item ? nameOf(item) || `The ${noun}` : ''} was deleted`)
      close()
      removed?.()
    },
  })
  return (
    <EntityForm
      form={form}
      verb={item ? 'Save' : (props.verb ?? `Create ${noun}`)}
      close={close}
      remove={item !== null && props.effect !== false && deletion(props, remove as never)}
    >
      <SchemaForm
        schema={schema}
        value={form.values}
        change={(next) => form.setValues(next as Values)}
        errors={form.errors as Record<string, string>}
        fields={typeof fields === 'function' ? fields(form.values, item) : (fields ?? {})}
        layout={layout ?? []}
      />
      {more?.(form.values, item)}
    </EntityForm>
  )
}

const deletion = (
  { noun, item, effect }: Pick<ResourceFormProps<object>, 'noun' | 'item' | 'effect'>,
  run: ConfirmByNameProps['run'],
): Omit<ConfirmByNameProps, 'children'> => ({
  name: (item && nameOf(item)) || noun,
  what: noun,
  run,
  ...(effect && { effect }),
})

/** The members that the form has; those that are not set have their defaults. */
const initialOf = ({ properties = {} }: Schema, values: object): Values =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      (values as Values)[name] === undefined ? member.default : (values as Values)[name],
    ]),
  )
