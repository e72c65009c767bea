import { Table, type TableProps } from '@mantine/core'
import type { ReactNode } from 'react'

interface DataTableProps extends TableProps {
  /** Name for screen readers. */
  label: string
  head?: readonly ReactNode[]
  rows: readonly (readonly ReactNode[])[]
  /** Places of the columns with numbers, which are at the right. */
  numbers?: readonly number[]
  /** Pixels, below which the table scrolls. */
  minWidth?: number
}

/** A table of values. */
export function DataTable({ label, head, rows, numbers = [], minWidth, ...rest }: DataTableProps) {
  const align = (place: number) => (numbers.includes(place) ? 'right' : undefined)
  const table = (
    <Table fz="sm" verticalSpacing={6} {...(!minWidth && { 'aria-label': label })} {...rest}>
      {head && (
        <Table.Thead>
          <Table.Tr>
            {head.map((title, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
              <Table.Th key={place} ta={align(place)}>
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
      )}
      <Table.Tbody>
        {rows.map((cells, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no identity but its place
          <Table.Tr key={row}>
            {cells.map((cell, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
              <Table.Td key={place} ta={align(place)}>
                {cell}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
  if (!minWidth) return table
  return (
    <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
      {table}
    </Table.ScrollContainer>
  )
}
