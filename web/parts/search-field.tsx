import { TextInput, type TextInputProps } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'

interface SearchFieldProps extends Omit<TextInputProps, 'onChange'> {
  /** The placeholder, and the name for screen readers. */
  what: string
  change: (text: string) => void
}

/** A text that filters a list. */
export const SearchField = ({ what, change, ...rest }: SearchFieldProps) => (
  <TextInput
    className="grow"
    aria-label={what}
    placeholder={what}
    leftSection={<IconSearch size={16} />}
    onChange={(event) => change(event.currentTarget.value)}
    {...rest}
  />
)
