import { Text, type TextProps } from '@mantine/core'
import type { ReactNode } from 'react'

/** Small secondary text. */
export const Hint = (props: TextProps & { children: ReactNode; role?: string }) => (
  <Text size="xs" c="dimmed" component="div" {...props} />
)
