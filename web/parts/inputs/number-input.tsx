import { NumberInput as MantineNumberInput, type NumberInputProps } from '@mantine/core'

export const NumberInput = (props: NumberInputProps) => <MantineNumberInput {...props} />
