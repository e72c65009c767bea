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
import { ApprovalCount } from './approval-count.tsx'

export interface Area {
  /** Where the navigation leads. */
  path: string
  /** What the address may look like inside the area. */
  route: string
  label: string
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>
  /** Second key of the shortcut that begins with `g`. */
  key: string
  page: LazyExoticComponent<ComponentType>
  /** Shown beside the label when there is something to tell. */
  badge?: ComponentType
}

/** Navigation, routes, palette and shortcuts all come from this list: a new area is one line. */
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
    badge: ApprovalCount,
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
