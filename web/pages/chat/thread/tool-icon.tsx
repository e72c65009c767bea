import {
  IconAlarm,
  IconApi,
  IconBrain,
  IconBrowser,
  IconCalendarClock,
  IconChecklist,
  IconClock,
  IconCode,
  IconDevices,
  IconFile,
  IconHelp,
  IconListCheck,
  IconPlug,
  IconSend,
  IconSitemap,
  IconTerminal2,
  IconTool,
  IconWorld,
} from '@tabler/icons-react'

const icons: readonly [beginning: string, icon: typeof IconTool][] = [
  ['mcp__', IconPlug],
  ['memory', IconBrain],
  ['web', IconWorld],
  ['http', IconApi],
  ['browser', IconBrowser],
  ['file', IconFile],
  ['shell', IconTerminal2],
  ['run_code', IconCode],
  ['arm_check_in', IconAlarm],
  ['time', IconClock],
  ['todo', IconListCheck],
  ['project', IconChecklist],
  ['workflow', IconSitemap],
  ['device', IconDevices],
  ['channel', IconSend],
  ['ask', IconHelp],
]

export function ToolIcon({ tool }: { tool: string }) {
  const Icon = /_jobs?$/.test(tool)
    ? IconCalendarClock
    : (icons.find(([beginning]) => tool.startsWith(beginning))?.[1] ?? IconTool)
  return <Icon size={18} stroke={1.7} aria-hidden />
}
