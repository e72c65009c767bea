import { Checkbox, NumberInput, Table, Text, Textarea, TextInput, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { useState } from 'react'
import type { Row } from '../../../runtime/tables/columns.ts'
import type { DataTable } from '../../../runtime/tables/tables.ts'
import { useChange } from '../../parts/use-change.ts'
import classes from './grid.module.css'

type Column = DataTable['columns'][number]

interface GridProps {
  table: DataTable
  rows: readonly Row[]
  canWrite: boolean
  /** The name of a column, after a minus for descending order. */
  sort: string
  order: (sort: string) => void
  /** Ids of the chosen rows. */
  chosen: readonly number[]
  choose: (ids: readonly number[]) => void
}

export function Grid({ table, rows, canWrite, sort, order, chosen, choose }: GridProps) {
  const { id, columns } = table
  const all = rows.map((row) => row.id)
  const save = useChange((api, { row, name, value }: { row: number; name: string; value: unknown }) =>
    api.post('/api/tables/{id}/edit', { params: { id }, body: { ids: [row], values: { [name]: value } } }),
  )
  return (
    <Table.ScrollContainer minWidth={Math.max(320, columns.length * 150)} type="native" tabIndex={0}>
      <Table fz="sm" highlightOnHover withColumnBorders aria-label={table.name}>
        <Table.Thead>
          <Table.Tr>
            {canWrite && (
              <Table.Th w={36}>
                <Checkbox
                  size="xs"
                  aria-label="Choose all rows of the page"
                  checked={all.length > 0 && chosen.length === all.length}
                  indeterminate={chosen.length > 0 && chosen.length < all.length}
                  onChange={({ currentTarget }) => choose(currentTarget.checked ? all : [])}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Heading key={column.id} {...{ column, sort, order }} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              {canWrite && (
                <Table.Td>
                  <Checkbox
                    size="xs"
                    aria-label={`Choose row ${row.id}`}
                    checked={chosen.includes(row.id)}
                    onChange={({ currentTarget }) =>
                      choose(currentTarget.checked ? [...chosen, row.id] : chosen.filter((one) => one !== row.id))
                    }
                  />
                </Table.Td>
              )}
              {columns.map((column) => (
                <Table.Td key={column.id} className={classes.cell}>
                  <Cell
                    column={column}
                    label={`${column.name} of row ${row.id}`}
                    value={row[column.name]}
                    {...(canWrite && {
                      save: (value: unknown) => save.mutate({ row: row.id, name: column.name, value }),
                    })}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** A heading that sorts: first ascending, then descending, then in the order in which the rows were made. */
function Heading({ column: { name, type }, sort, order }: { column: Column } & Pick<GridProps, 'sort' | 'order'>) {
  const next = { [name]: `-${name}`, [`-${name}`]: '' }[sort] ?? name
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none'
  if (type === 'json') return <Table.Th>{name}</Table.Th>
  return (
    <Table.Th aria-sort={direction} ta={type === 'number' ? 'right' : undefined}>
      <UnstyledButton fz="sm" fw={650} onClick={() => order(next)}>
        {name} {direction === 'ascending' && <IconArrowUp size={13} aria-hidden />}
        {direction === 'descending' && <IconArrowDown size={13} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}

interface CellProps {
  column: Column
  label: string
  value: unknown
  /** Without it the value is only shown. */
  save?: (value: unknown) => void
}

/** A value, which becomes a field when it is pressed. */
function Cell({ column: { type }, label, value, save }: CellProps) {
  const [edited, setEdited] = useState<string | null>(null)
  const text = textOf(value)
  if (type === 'boolean')
    return (
      <Checkbox
        size="xs"
        aria-label={label}
        checked={value === true}
        disabled={!save}
        onChange={({ currentTarget }) => save?.(currentTarget.checked)}
      />
    )
  if (!save) return <Shown type={type} text={text} />
  if (edited === null)
    return (
      <UnstyledButton
        className={classes.value}
        aria-label={`${label}: ${text || 'empty'}`}
        onClick={() => setEdited(text)}
      >
        <Shown type={type} text={text} />
      </UnstyledButton>
    )
  const end = () => {
    setEdited(null)
    if (edited !== text) save(valueIn(type, edited))
  }
  const field = {
    size: 'xs',
    'aria-label': label,
    autoFocus: true,
    value: edited,
    onBlur: end,
    onKeyDown: ({ key, shiftKey }: { key: string; shiftKey: boolean }) => {
      if (key === 'Escape') setEdited(null)
      if (key === 'Enter' && !shiftKey) end()
    },
  }
  if (type === 'number') return <NumberInput {...field} hideControls onChange={(next) => setEdited(String(next))} />
  const onChange = ({ currentTarget }: { currentTarget: { value: string } }) => setEdited(currentTarget.value)
  if (type === 'date') return <TextInput {...field} placeholder="2026-01-31" onChange={onChange} />
  return <Textarea {...field} autosize maxRows={8} onChange={onChange} />
}

const Shown = ({ type, text }: { type: Column['type']; text: string }) => (
  <Text
    size="sm"
    truncate
    maw="24rem"
    ta={type === 'number' ? 'right' : undefined}
    className={type === 'json' ? 'mono' : undefined}
  >
    {text || ' '}
  </Text>
)

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** An empty field has no value. What is not JSON is a text. */
function valueIn(type: Column['type'], text: string): unknown {
  if (text === '') return null
  if (type !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
