import type { ReactNode } from 'react'
import type { AnswerOf, InputOf, PathOf } from '../api/client.ts'
import { usePages } from '../api/query.ts'
import type { Icon } from './buttons.tsx'
import { EmptyState, List, SkeletonRows } from './list.tsx'
import { Panel } from './page.tsx'
import { Row, type RowProps } from './row.tsx'

export type ListPath = PathOf<'GET'>
export type Items<Path extends ListPath> = {
  [Name in keyof AnswerOf<'GET', Path>]: AnswerOf<'GET', Path>[Name] extends readonly object[] ? Name : never
}[keyof AnswerOf<'GET', Path>]
export type ItemOf<Path extends ListPath, Name extends keyof AnswerOf<'GET', Path>> = AnswerOf<
  'GET',
  Path
>[Name] extends readonly (infer Item extends object)[]
  ? Item
  : never

export interface ResourceListProps<Path extends ListPath, Name extends Items<Path>> {
  /** Of the collection, such as `/api/hooks`. */
  path: Path
  /** The member of the list's answer. */
  items: Name
  /** All of them, such as `Outgoing webhooks`. */
  title: string
  /** One of them, such as `hook`. Default: the title without its last letter. */
  noun?: string
  /** Of the empty list; without it, `empty` is a line of text. */
  icon?: Icon
  /** What one does, shown while there are none. */
  empty: ReactNode
  /** What is particular about a row. Its name is the item's unless it has another. */
  row: (item: ItemOf<Path, Name>) => Omit<RowProps, 'name'> & { name?: string }
  params?: Readonly<Record<string, string>>
  /** Of the list, such as `{ channel_id }`. */
  query?: InputOf<'GET', Path>['query']
  /** Rows per page. */
  size?: number
  /** Buttons next to the title. */
  actions?: ReactNode
  /** Above the rows. */
  children?: ReactNode
  /** Of a row while the list loads. */
  height?: number
  /** Nothing is shown while there are none. */
  hidden?: boolean
  /** Without a title, where the page has it: in a card, or in the card of the page. */
  frame?: 'card' | 'none'
}

/** The rows of a collection, page by page. */
export function ResourceList<Path extends ListPath, Name extends Items<Path>>(props: ResourceListProps<Path, Name>) {
  const { path, items, title, noun = title.toLowerCase().slice(0, -1), icon: Icon, empty, row } = props
  const { params, query: filter, size = 50, actions, children, height, hidden, frame } = props
  const query = usePages(path, { ...(params && { params }), ...(filter && { query: filter }) } as never, { size })
  const [first] = (query.data?.pages ?? []) as { total?: number; count?: number }[]
  const total = first?.total ?? first?.count
  if (hidden && !total) return null
  const list = (
    <List
      query={query}
      what={title}
      items={(data) =>
        (data as unknown as { pages: Record<PropertyKey, readonly object[]>[] }).pages.flatMap(
          (page) => page[items] ?? [],
        )
      }
      {...(height && { skeleton: <SkeletonRows height={height} /> })}
      empty={
        Icon ? (
          <EmptyState icon={<Icon size={28} />} title={`No ${pluralOf(noun)} yet`}>
            {empty}
          </EmptyState>
        ) : (
          empty
        )
      }
    >
      {(one, index) => {
        const item = one as { id?: string; name?: string }
        const shown = row(one as ItemOf<Path, Name>)
        const name = shown.name ?? item.name ?? item.id ?? ''
        return <Row key={item.id ?? `${name} ${index}`} {...shown} name={name} />
      }}
    </List>
  )
  if (frame)
    return (
      <section className={frame === 'card' ? 'card' : undefined} aria-label={title}>
        {children}
        {list}
      </section>
    )
  return (
    <Panel title={title} count={total} action={actions}>
      {children}
      {list}
    </Panel>
  )
}

const pluralOf = (noun: string) => (noun.endsWith('s') ? `${noun}es` : `${noun}s`)
