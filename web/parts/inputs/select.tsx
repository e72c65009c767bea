import { Select as MantineSelect, type SelectProps } from '@mantine/core'

export const Select = (props: SelectProps) => <MantineSelect {...props} />
