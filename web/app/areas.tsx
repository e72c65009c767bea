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
  IconTable,
  IconWebhook,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useWaitingCount } from '../api/inbox.ts'
import { suspending } from '../parts/lazily.ts'

export interface Area {
  /** Target of the navigation link. */
  path: string
  /** Pattern that matches all addresses of the area. */
  route: string
  /** Second key of the shortcut `g …`. */
  key: string
  label: string
  icon: ComponentType<{ size?: number | string; stroke?: number | string }>
  page: ComponentType
  /** Shown next to the label. */
  badge?: ComponentType
}

function PendingCount() {
  const count = useWaitingCount()
  if (count === 0) return null
  return (
    <Badge variant="filled" circle={count < 10} aria-label={`${count} waiting`}>
      {count}
    </Badge>
  )
}

const Home = suspending(() => import('../pages/home/index.tsx'), 'Home')
const Chat = suspending(() => import('../pages/chat/index.tsx'), 'Chat')
const Inbox = suspending(() => import('../pages/inbox/index.tsx'), 'InboxPage')
const Projects = suspending(() => import('../pages/projects/index.tsx'), 'Projects')
const Loops = suspending(() => import('../pages/loops/index.tsx'), 'Loops')
const Agents = suspending(() => import('../pages/agents/index.tsx'), 'Agents')
const Memory = suspending(() => import('../pages/memory/index.tsx'), 'Memory')
const Scheduler = suspending(() => import('../pages/scheduler/index.tsx'), 'Scheduler')
const Workflows = suspending(() => import('../pages/workflows/index.tsx'), 'Workflows')
const BrowserPage = suspending(() => import('../pages/browser/index.tsx'), 'BrowserPage')
const Devices = suspending(() => import('../pages/devices/index.tsx'), 'Devices')
const Channels = suspending(() => import('../pages/channels/index.tsx'), 'Channels')
const Hooks = suspending(() => import('../pages/hooks/index.tsx'), 'Hooks')
const Files = suspending(() => import('../pages/files/index.tsx'), 'Files')
const Sandbox = suspending(() => import('../pages/sandbox/index.tsx'), 'Sandbox')
const Monitor = suspending(() => import('../pages/monitor/index.tsx'), 'Monitor')
const Tables = suspending(() => import('../pages/tables/index.tsx'), 'Tables')
const Settings = suspending(() => import('../pages/settings/index.tsx'), 'Settings')

const pages: readonly Omit<Area, 'path'>[] = [
  { route: '/', key: 'h', label: 'Home', icon: IconHome2, page: Home },
  { route: '/chat/:id?', key: 'c', label: 'Chat', icon: IconMessageCircle, page: Chat },
  {
    route: '/approvals',
    key: 'y',
    label: 'Inbox',
    icon: IconHandStop,
    page: Inbox,
    badge: PendingCount,
  },
  { route: '/projects/:id?/:view?', key: 'p', label: 'Projects', icon: IconChecklist, page: Projects },
  { route: '/loops/:id?/:view?', key: 'l', label: 'Loops', icon: IconRepeat, page: Loops },
  { route: '/agents/:id?', key: 'a', label: 'Agents', icon: IconRobot, page: Agents },
  { route: '/memory/:view?', key: 'm', label: 'Memory', icon: IconBrain, page: Memory },
  {
    route: '/scheduler/:place?/:part?',
    key: 'j',
    label: 'Scheduler',
    icon: IconCalendarTime,
    page: Scheduler,
  },
  { route: '/workflows/:id?/:view?', key: 'w', label: 'Workflows', icon: IconSchema, page: Workflows },
  { route: '/tables/:id?', key: 't', label: 'Tables', icon: IconTable, page: Tables },
  { route: '/browser/:panel?/:id?', key: 'b', label: 'Browser', icon: IconWorldWww, page: BrowserPage },
  { route: '/devices/:id?', key: 'd', label: 'Devices', icon: IconDevices, page: Devices },
  { route: '/channels/:id?', key: 'n', label: 'Channels', icon: IconMessages, page: Channels },
  { route: '/hooks/:view?/:id?', key: 'k', label: 'Hooks', icon: IconWebhook, page: Hooks },
  { route: '/files', key: 'f', label: 'Files', icon: IconFiles, page: Files },
  { route: '/sandbox/:id?', key: 'x', label: 'Sandbox', icon: IconBox, page: Sandbox },
  { route: '/monitor/:view?/:id?', key: 'o', label: 'Monitor', icon: IconActivity, page: Monitor },
  { route: '/settings/:section?', key: 's', label: 'Settings', icon: IconSettings, page: Settings },
]

/** Navigation, routes, palette and shortcuts derive from this list. */
export const areas: readonly Area[] = pages.map((page) => ({
  ...page,
  path: page.route.split('/:', 1)[0] ?? '/',
}))

/** The area that an address belongs to. */
export const areaOf = (location: string): Area | undefined =>
  areas.find((area) => area.path === location) ??
  areas.find((area) => area.path !== '/' && location.startsWith(`${area.path}/`))
