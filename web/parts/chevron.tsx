import { IconChevronRight } from '@tabler/icons-react'

/** Points down while what it belongs to is open. */
export const Chevron = ({ opened, size = 16 }: { opened: boolean; size?: number }) => (
  <IconChevronRight
    size={size}
    aria-hidden
    style={{ flex: 'none', rotate: opened ? '90deg' : '0deg', transition: 'rotate 120ms ease' }}
  />
)
