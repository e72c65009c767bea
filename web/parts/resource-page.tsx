import { Stack } from '@mantine/core'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type { AnswerOf, PathOf } from '../api/client.ts'
import { useOptional, usePages } from '../api/query.ts'
import { AddButton, type Icon, LinkButton, SmallButton } from './buttons.tsx'
import { lazily } from './lazily.ts'
import { EmptyState, Found, List } from './list.tsx'
import { Panel, Row } from './page.tsx'
import type { FormOptions } from './resource-form.tsx'
import { SecretOnce } from './secret-once.tsx'
import { capitalized } from './text.ts'
import { TextLink } from './typography.tsx'

const ResourceDrawer = lazily(() => import('./resource-form.tsx'), 'ResourceDrawer')

type ListPath = PathOf<'GET'>
type Items<Path extends ListPath> = {
  [Name in keyof AnswerOf<'GET', Path>]: AnswerOf<'GET', Path>[Name] extends readonly object[] ? Name : never
}[keyof AnswerOf<'GET', Path>]
type ItemOf<Path extends ListPath, Name extends keyof AnswerOf<'GET', Path>> = AnswerOf<
  'GET',
  Path
>[Name] extends readonly (infer Item extends object)[]
  ? Item
  : never

type RowProps = Omit<ComponentProps<typeof Row>, 'name'> & { name?: string }

export interface Tools {
  edit: () => void
}

interface ResourcePageProps<Path extends ListPath, Name extends Items<Path>> {
  /** Of the collection, such as `/api/hooks`. */
  path: Path
  /** The member of the list's answer. */
  items: Name
  /** One of them, such as `hook`. */
  noun: string
  /** All of them, such as `Outgoing webhooks`. */
  title: string
  icon: Icon
  /** What one does, shown while there are none. */
  empty: string
  /** What is particular about a row. */
  row: (item: ItemOf<Path, Name>, tools: Tools) => RowProps
  /** The page of one, at `<place>/<id>`. Without it a row has a button to edit it. */
  detail?: (item: ItemOf<Path, Name>, tools: Tools) => ReactNode
  /** The address of the list in the UI, and the id of the one that is shown. */
  place?: string
  id?: string | undefined
  form?: FormOptions<ItemOf<Path, Name>>
  /** Next to the button that adds one. */
  actions?: ReactNode
  /** False: nobody may add or change one here. */
  canChange?: boolean
  /** What a secret is for that is shown once, in the answer to a new one. */
  secretHint?: string
}

/** The page of a collection: its list, the form for a new one and for changes, and the page of each. */
export function ResourcePage<Path extends ListPath, Name extends Items<Path>>(
  props: ResourcePageProps<Path, Name>,
) {
  type Item = ItemOf<Path, Name>
  const { path, noun, place = '', id, detail, form, secretHint } = props
  const [, navigate] = useLocation()
  const [edited, setEdited] = useState<Item | 'new' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const tools = (item: Item): Tools => ({ edit: () => setEdited(item) })
  const isNew = edited === 'new'
  return (
    <Stack>
      {secret && (
        <SecretOnce secret={secret} what={`${noun} secret`} {...(secretHint && { hint: secretHint })} />
      )}
      {detail && id ? (
        <One {...props} id={id} show={(item) => detail(item, tools(item))} />
      ) : (
        <All {...props} tools={tools} add={() => setEdited('new')} />
      )}
      {edited !== null && (
        <ResourceDrawer
          {...(form as object)}
          path={path}
          noun={noun}
          item={isNew ? null : edited}
          close={() => setEdited(null)}
          removed={() => place && id && navigate(place)}
          saved={(answer) => {
            const { id: made, secret: issued } = answer as { id: string; secret?: unknown }
            if (isNew && secretHint) setSecret(String(issued))
            else if (isNew && detail) navigate(`${place}/${made}`)
          }}
        />
      )}
    </Stack>
  )
}

interface AllProps<Path extends ListPath, Name extends Items<Path>> extends ResourcePageProps<Path, Name> {
  tools: (item: ItemOf<Path, Name>) => Tools
  add: () => void
}

function All<Path extends ListPath, Name extends Items<Path>>({
  tools,
  add,
  ...props
}: AllProps<Path, Name>) {
  const { path, items, noun, title, icon: Icon, empty, row, detail, place, actions, canChange = true } = props
  const query = usePages(path, {} as never)
  const total = (query.data?.pages as { total?: number }[] | undefined)?.[0]?.total
  return (
    <Panel
      title={title}
      count={total}
      action={
        <>
          {actions}
          {canChange && <AddButton onClick={add}>New {noun}</AddButton>}
        </>
      }
    >
      <List
        query={query}
        what={title}
        items={(data) =>
          (data as unknown as { pages: Record<PropertyKey, readonly object[]>[] }).pages.flatMap(
            (page) => page[items] ?? [],
          )
        }
        empty={
          <EmptyState icon={<Icon size={28} />} title={`No ${pluralOf(noun)} yet`}>
            {empty}
          </EmptyState>
        }
      >
        {(one) => {
          const item = one as ItemOf<Path, Name> & { id: string; name?: string }
          const shown = row(item, tools(item))
          const name = shown.name ?? item.name ?? item.id
          return (
            <Row
              key={item.id}
              {...shown}
              name={name}
              actions={
                <>
                  {shown.actions}
                  {detail && <LinkButton href={`${place}/${item.id}`}>Open</LinkButton>}
                  {!detail && canChange && <SmallButton onClick={tools(item).edit}>Edit</SmallButton>}
                </>
              }
            />
          )
        }}
      </List>
    </Panel>
  )
}

interface OneProps<Path extends ListPath, Name extends Items<Path>> extends ResourcePageProps<Path, Name> {
  id: string
  show: (item: ItemOf<Path, Name>) => ReactNode
}

function One<Path extends ListPath, Name extends Items<Path>>(props: OneProps<Path, Name>) {
  const { path, id, place = '', title, noun, icon: Icon, show } = props
  const query = useOptional(`${path}/{id}` as '/api/hooks/{id}', { params: { id } })
  return (
    <>
      <TextLink href={place}>← {capitalized(title)}</TextLink>
      <Found query={query} what={`This ${noun}`} icon={<Icon />}>
        {(item) => show(item as unknown as ItemOf<Path, Name>)}
      </Found>
    </>
  )
}

const pluralOf = (noun: string) => (noun.endsWith('s') ? `${noun}es` : `${noun}s`)
