import { Group, type GroupProps } from '@mantine/core'

/** The fields and buttons at the top of a panel. */
export const Tools = (props: GroupProps) => <Group gap="0.5rem" px="sm" py="0.6rem" {...props} />
