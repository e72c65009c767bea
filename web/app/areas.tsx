import { Badge } from '@mantine/core'
import {
  IconActivity,
  IconBolt,
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
  /** Where it is in the navigation; without one, always visible above the groups. */
  group?: (typeof groups)[number] | 'last'
  /** Whether the bar at the bottom of a phone has it. */
  bar?: true
}

/** Pages that are opened less often, in groups that fold. */
export const groups = ['Build', 'Connect', 'System'] as const

function PendingCount() {
  const count = useWaitingCount()
  if (count === 0) return null
  return (
    <Badge variant="filled" circle={count < 10} aria-label={`${count} waiting`}>
      {count}
    </Badge>
  )
}

import { Home } from '../pages/home/index.tsx'

const Chat = suspending(() => import('../pages/chat/index.tsx'), 'Chat')
const Inbox = suspending(() => import('../pages/inbox/index.tsx'), 'InboxPage')
const Automations = suspending(() => import('../pages/automations/index.tsx'), 'Automations')
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
  { route: '/', key: 'h', label: 'Home', icon: IconHome2, page: Home, bar: true },
  { route: '/chat/:id?', key: 'c', label: 'Chat', icon: IconMessageCircle, page: Chat, bar: true },
  { route: '/inbox', key: 'y', label: 'Inbox', icon: IconHandStop, page: Inbox, bar: true, badge: PendingCount },
  { route: '/projects/:id?/:view?', key: 'p', label: 'Projects', icon: IconChecklist, page: Projects, bar: true },
  { route: '/automations/:view?', key: 'i', label: 'Automations', icon: IconBolt, page: Automations },
  { route: '/memory/:view?', key: 'm', label: 'Memory', icon: IconBrain, page: Memory },
  {
    route: '/scheduler/:place?/:part?',
    key: 'j',
    label: 'Scheduler',
    icon: IconCalendarTime,
    page: Scheduler,
    group: 'Build',
  },
  { route: '/agents/:id?', key: 'a', label: 'Agents', icon: IconRobot, page: Agents, group: 'Build' },
  { route: '/workflows/:id?/:view?', key: 'w', label: 'Workflows', icon: IconSchema, page: Workflows, group: 'Build' },
  { route: '/loops/:id?/:view?', key: 'l', label: 'Loops', icon: IconRepeat, page: Loops, group: 'Build' },
  { route: '/tables/:id?', key: 't', label: 'Tables', icon: IconTable, page: Tables, group: 'Build' },
  { route: '/channels/:id?', key: 'n', label: 'Channels', icon: IconMessages, page: Channels, group: 'Connect' },
  { route: '/devices/:id?', key: 'd', label: 'Devices', icon: IconDevices, page: Devices, group: 'Connect' },
  { route: '/hooks/:view?/:id?', key: 'k', label: 'Hooks', icon: IconWebhook, page: Hooks, group: 'Connect' },
  {
    route: '/browser/:panel?/:id?',
    key: 'b',
    label: 'Browser',
    icon: IconWorldWww,
    page: BrowserPage,
    group: 'Connect',
  },
  { route: '/files', key: 'f', label: 'Files', icon: IconFiles, page: Files, group: 'System' },
  { route: '/sandbox/:id?', key: 'x', label: 'Sandbox', icon: IconBox, page: Sandbox, group: 'System' },
  { route: '/monitor/:view?/:id?', key: 'o', label: 'Monitor', icon: IconActivity, page: Monitor, group: 'System' },
  { route: '/settings/:section?', key: 's', label: 'Settings', icon: IconSettings, page: Settings, group: 'last' },
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
