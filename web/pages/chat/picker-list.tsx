import { Box, ComboboxPopover, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Hint } from '../../parts/typography.tsx'
import type { PickerProps } from './pickers.tsx'

interface PickerListProps {
  picker: PickerProps
  searchable: boolean
  /** The button that opens the list. */
  children: ReactElement
}

/** The list of a picker, opened as soon as it is loaded. */
export function PickerList({ picker: { value, choices, change }, searchable, children }: PickerListProps) {
  return (
    <ComboboxPopover
      data={choices}
      value={value}
      onChange={(chosen) => chosen !== null && change(chosen)}
      defaultDropdownOpened
      allowDeselect={false}
      searchable={searchable}
      nothingFoundMessage="No matches"
      comboboxProps={{ width: 280, position: 'top-start', shadow: 'md' }}
      renderOption={({ option }) => (
        <Box miw={0}>
          <Text size="sm">{option.label}</Text>
          {'hint' in option && Boolean(option.hint) && <Hint>{String(option.hint)}</Hint>}
        </Box>
      )}
    >
      <ComboboxPopover.Target>{children}</ComboboxPopover.Target>
    </ComboboxPopover>
  )
}
