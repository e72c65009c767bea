import { Box, SegmentedControl, UnstyledButton } from '@mantine/core'
import { type DragEvent, memo, useMemo, useState } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Hint } from '../../parts/typography.tsx'
import type { Path, Place } from './completions.ts'
import classes from './workflows.module.css'

/** The type of data that a dragged field carries. */
export const dataType = 'application/x-hearthd-field'

export const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Levels of members, items and members of one object that are shown. */
const limits = { depth: 5, items: 50, members: 100 }

interface Member {
  path: Path
  value: unknown
}

/** The members of a value: of an object, and of the first item of a list. */
const membersOf = ({ path, value }: Member): Member[] =>
  isObject(value)
    ? Object.entries(value)
        .slice(0, Array.isArray(value) ? 1 : limits.members)
        .map(([name, member]) => ({ path: [...path, Array.isArray(value) ? Number(name) : name], value: member }))
    : []

/** The paths of all fields of an item. */
export function pathsOf(item: unknown): Path[] {
  const below = (member: Member): Path[] => [
    ...(member.path.length === 0 ? [] : [member.path]),
    ...(member.path.length < limits.depth ? membersOf(member).flatMap(below) : []),
  ]
  return below({ path: [], value: item })
}

type Insert = ((place: Place) => void) | undefined

const views = ['Schema', 'Table', 'JSON'] as const

interface ItemsViewProps {
  label: string
  value: unknown
  /** Whose field it is, for dragging; absent if fields cannot be inserted. */
  node?: Place['node']
  insert?: Insert
  first?: (typeof views)[number]
  /** Where the value is from. */
  note?: string | undefined
}

/** Items as a table, as JSON, or by their fields. */
export const ItemsView = memo(function ItemsView({
  label,
  value,
  node = null,
  insert,
  first = 'Schema',
  note,
}: ItemsViewProps) {
  const [view, setView] = useState<string>(first)
  const items = useMemo(() => itemsOf(value), [value])
  return (
    <>
      <div className={classes.views}>
        <SegmentedControl
          aria-label={`View of the ${label.toLowerCase()}`}
          size="xs"
          data={[...views]}
          value={view}
          onChange={setView}
        />
        <Hint>{Array.isArray(value) ? `${items.length} ${items.length === 1 ? 'item' : 'items'}` : '1 item'}</Hint>
        {note && <Hint>{note}</Hint>}
      </div>
      {view === 'JSON' && <JsonView label={label} value={value} />}
      {view === 'Table' && <ItemTable label={label} items={items} node={node} insert={insert} />}
      {view === 'Schema' && <FieldTree value={items[0]} node={node} insert={insert} />}
    </>
  )
})

interface FieldTreeProps {
  /** One item. */
  value: unknown
  node?: Place['node']
  insert?: Insert
}

/** The fields of an item with examples of their values. */
export const FieldTree = memo(function FieldTree({ value, node = null, insert }: FieldTreeProps) {
  const members = membersOf({ path: [], value })
  if (members.length === 0) return <Hint>{value === undefined ? 'No items' : textOf(value)}</Hint>
  return <Members members={members} node={node} insert={insert} />
})

const Members = ({ members, node, insert }: { members: Member[]; node: Place['node']; insert: Insert }) => (
  <ul className={classes.fields}>
    {members.map((member) => {
      const inner = member.path.length < limits.depth ? membersOf(member) : []
      return (
        <li key={String(member.path.at(-1))}>
          <span className={classes.member}>
            <Field member={member} node={node} insert={insert} />
            <Hint className="truncate">
              {inner.length > 0 ? (Array.isArray(member.value) ? 'list' : '') : textOf(member.value)}
            </Hint>
          </span>
          {inner.length > 0 && <Members members={inner} node={node} insert={insert} />}
        </li>
      )
    })}
  </ul>
)

interface FieldProps {
  member: Member
  node: Place['node']
  insert: Insert
}

/** The name of a field, which a click or a drop inserts into an input of the form. */
function Field({ member: { path }, node, insert }: FieldProps) {
  const name = String(path.at(-1))
  if (!insert) return <span className={classes.field}>{name}</span>
  const drag = (event: DragEvent) =>
    event.dataTransfer.setData(dataType, JSON.stringify({ node, path } satisfies Place))
  return (
    <UnstyledButton
      className={classes.field}
      draggable
      title="Insert into the form"
      onDragStart={drag}
      onClick={() => insert({ node, path })}
    >
      {name}
    </UnstyledButton>
  )
}

interface ItemTableProps {
  label: string
  items: unknown[]
  node: Place['node']
  insert: Insert
}

const maxText = 80

const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, maxText) || '—'

const ItemTable = memo(function ItemTable({ label, items, node, insert }: ItemTableProps) {
  const rows = items.slice(0, limits.items)
  const isPlain = !rows.some((row) => isObject(row) && !Array.isArray(row))
  const columns = isPlain ? ['value'] : [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))]
  const cell = (row: unknown, name: string) =>
    isPlain ? textOf(row) : isObject(row) && name in row ? textOf(row[name]) : ''
  return (
    <>
      <DataTable
        label={label}
        withTableBorder
        verticalSpacing={2}
        horizontalSpacing="xs"
        fz="xs"
        head={columns.map((name) =>
          isPlain ? name : <Field key={name} member={{ path: [name], value: null }} node={node} insert={insert} />,
        )}
        rows={rows.map((row) =>
          columns.map((name) => (
            <Box key={name} className="truncate" maw={220}>
              {cell(row, name)}
            </Box>
          )),
        )}
      />
      {items.length > rows.length && <Hint>The first {limits.items} items</Hint>}
    </>
  )
})
