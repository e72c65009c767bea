import { Badge } from '@mantine/core'
import {
  IconActivity,
  IconBox,
  IconBrain,
  IconCalendarTime,
  IconChecklist,
  IconDevices,
  IconFiles,
  IconHandStop,
  IconHome2,
  IconMessageCircle,
  IconMessages,
  IconRepeat,
  IconRobot,
  IconSchema,
  IconSettings,
  IconWebhook,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType, LazyExoticComponent } from 'react'
import { pendingApprovals } from '../api/chat.ts'
import { useEndpoint } from '../api/query.ts'
import { lazily } from '../parts/lazily.ts'

export interface Area {
  /** Target of the navigation link. */
  path: string
  /** Pattern that matches all addresses of the area. */
  route: string
  /** Second key of the shortcut `g …`. */
  key: string
  label: string
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>
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
    <Badge variant="filled" circle={count < 10} aria-label={`${count} waiting`}>
      {count}
    </Badge>
  )
}

const Home = lazily(() => import('../pages/home/index.tsx'), 'Home')
const Chat = lazily(() => import('../pages/chat/index.tsx'), 'Chat')
const Approvals = lazily(() => import('../pages/approvals/index.tsx'), 'Approvals')
const Projects = lazily(() => import('../pages/projects/index.tsx'), 'Projects')
const Loops = lazily(() => import('../pages/loops/index.tsx'), 'Loops')
const Agents = lazily(() => import('../pages/agents/index.tsx'), 'Agents')
const Memory = lazily(() => import('../pages/memory/index.tsx'), 'Memory')
const Scheduler = lazily(() => import('../pages/scheduler/index.tsx'), 'Scheduler')
const Workflows = lazily(() => import('../pages/workflows/index.tsx'), 'Workflows')
const BrowserPage = lazily(() => import('../pages/browser/index.tsx'), 'BrowserPage')
const Devices = lazily(() => import('../pages/devices/index.tsx'), 'Devices')
const Channels = lazily(() => import('../pages/channels/index.tsx'), 'Channels')
const Hooks = lazily(() => import('../pages/hooks/index.tsx'), 'Hooks')
const Files = lazily(() => import('../pages/files/index.tsx'), 'Files')
const Sandbox = lazily(() => import('../pages/sandbox/index.tsx'), 'Sandbox')
const Monitor = lazily(() => import('../pages/monitor/index.tsx'), 'Monitor')
const Settings = lazily(() => import('../pages/settings/index.tsx'), 'Settings')

/** Navigation, routes, palette and shortcuts derive from this list. */
export const areas: readonly Area[] = [
  { path: '/', route: '/', key: 'h', label: 'Home', icon: IconHome2, page: Home },
  { path: '/chat', route: '/chat/:id?', key: 'c', label: 'Chat', icon: IconMessageCircle, page: Chat },
  {
    path: '/approvals',
    route: '/approvals',
    key: 'y',
    label: 'Approvals',
    icon: IconHandStop,
    page: Approvals,
    badge: PendingCount,
  },
  {
    path: '/projects',
    route: '/projects/:id?/:view?',
    key: 'p',
    label: 'Projects',
    icon: IconChecklist,
    page: Projects,
  },
  { path: '/loops', route: '/loops/:id?/:view?', key: 'l', label: 'Loops', icon: IconRepeat, page: Loops },
  { path: '/agents', route: '/agents/:id?', key: 'a', label: 'Agents', icon: IconRobot, page: Agents },
  { path: '/memory', route: '/memory/:view?', key: 'm', label: 'Memory', icon: IconBrain, page: Memory },
  {
    path: '/scheduler',
    route: '/scheduler/:place?/:part?',
    key: 'j',
    label: 'Scheduler',
    icon: IconCalendarTime,
    page: Scheduler,
  },
  {
    path: '/workflows',
    route: '/workflows/:id?/:view?',
    key: 'w',
    label: 'Workflows',
    icon: IconSchema,
    page: Workflows,
  },
  {
    path: '/browser',
    route: '/browser/:panel?/:id?',
    key: 'b',
    label: 'Browser',
    icon: IconWorldWww,
    page: BrowserPage,
  },
  { path: '/devices', route: '/devices/:id?', key: 'd', label: 'Devices', icon: IconDevices, page: Devices },
  {
    path: '/channels',
    route: '/channels/:id?',
    key: 'n',
    label: 'Channels',
    icon: IconMessages,
    page: Channels,
  },
  { path: '/hooks', route: '/hooks/:view?/:id?', key: 'k', label: 'Hooks', icon: IconWebhook, page: Hooks },
  { path: '/files', route: '/files', key: 'f', label: 'Files', icon: IconFiles, page: Files },
  { path: '/sandbox', route: '/sandbox/:id?', key: 'x', label: 'Sandbox', icon: IconBox, page: Sandbox },
  {
    path: '/monitor',
    route: '/monitor/:view?/:id?',
    key: 'o',
    label: 'Monitor',
    icon: IconActivity,
    page: Monitor,
  },
  {
    path: '/settings',
    route: '/settings/:section?',
    key: 's',
    label: 'Settings',
    icon: IconSettings,
    page: Settings,
  },
]

/** The area that an address belongs to. */
export const areaOf = (location: string): Area | undefined =>
  areas.find((area) => area.path === location) ??
  areas.find((area) => area.path !== '/' && location.startsWith(`${area.path}/`))
