import { Badge } from '@mantine/core'
import {
  IconBrain,
  IconCalendarTime,
  IconFiles,
  IconHandStop,
  IconHome2,
  IconMessageCircle,
  IconRobot,
  IconSettings,
  IconWorldWww,
} from '@tabler/icons-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { pendingApprovals } from '../api/chat.ts'
import { useEndpoint } from '../api/query.ts'

export interface Area {
  /** Target of the navigation link. */
  path: string
  /** Pattern of all addresses of the area. */
  route: string
  label: string
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>
  /** Second key of the shortcut `g …`. */
  key: string
  page: LazyExoticComponent<ComponentType>
  /** Shown next to the label. */
  badge?: ComponentType
}

export function usePendingCount(): number {
  return useEndpoint('/api/chat/approvals', pendingApprovals).data?.total ?? 0
}

function PendingCount() {
  const count = usePendingCount()
  if (count === 0) return null
  return (
    <Badge size="sm" circle={count < 10} aria-label={`${count} waiting`}>
      {count}
    </Badge>
  )
}

/** Navigation, routes, palette and shortcuts derive from this list. */
export const areas: readonly Area[] = [
  {
    path: '/',
    route: '/',
    label: 'Home',
    icon: IconHome2,
    key: 'h',
    page: lazy(async () => ({ default: (await import('../pages/home/index.tsx')).Home })),
  },
  {
    path: '/chat',
    route: '/chat/:id?',
    label: 'Chat',
    icon: IconMessageCircle,
    key: 'c',
    page: lazy(async () => ({ default: (await import('../pages/chat/index.tsx')).Chat })),
  },
  {
    path: '/approvals',
    route: '/approvals',
    label: 'Approvals',
    icon: IconHandStop,
    key: 'y',
    page: lazy(async () => ({ default: (await import('../pages/approvals/index.tsx')).Approvals })),
    badge: PendingCount,
  },
  {
    path: '/agents',
    route: '/agents/:id?',
    label: 'Agents',
    icon: IconRobot,
    key: 'a',
    page: lazy(async () => ({ default: (await import('../pages/agents/index.tsx')).Agents })),
  },
  {
    path: '/memory',
    route: '/memory/:view?',
    label: 'Memory',
    icon: IconBrain,
    key: 'm',
    page: lazy(async () => ({ default: (await import('../pages/memory/index.tsx')).Memory })),
  },
  {
    path: '/scheduler',
    route: '/scheduler/:place?/:part?',
    label: 'Scheduler',
    icon: IconCalendarTime,
    key: 'j',
    page: lazy(async () => ({ default: (await import('../pages/scheduler/index.tsx')).Scheduler })),
  },
  {
    path: '/browser',
    route: '/browser/:panel?/:id?',
    label: 'Browser',
    icon: IconWorldWww,
    key: 'b',
    page: lazy(async () => ({ default: (await import('../pages/browser/index.tsx')).BrowserPage })),
  },
  {
    path: '/files',
    route: '/files',
    label: 'Files',
    icon: IconFiles,
    key: 'f',
    page: lazy(async () => ({ default: (await import('../pages/files/index.tsx')).Files })),
  },
  {
    path: '/settings',
    route: '/settings/:section?',
    label: 'Settings',
    icon: IconSettings,
    key: 's',
    page: lazy(async () => ({ default: (await import('../pages/settings/index.tsx')).Settings })),
  },
]

/** The area that an address belongs to. */
export const areaOf = (location: string): Area | undefined =>
  areas.find((area) => area.path === location) ??
  areas.find((area) => area.path !== '/' && location.startsWith(`${area.path}/`))
