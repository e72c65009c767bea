import type { QueryClient } from '@tanstack/react-query'
import type { Bus, BusEvent } from './bus.ts'

const audit = '/api/auth/audit'
const chats = ['/api/chat/conversations', '/api/chat/search']
const inbox = '/api/inbox'
const approvals = '/api/chat/approvals'
/** What runs and has failed. */
const now = '/api/monitoring/now'
const automations = '/api/automations'

/** What a changed memory makes stale. The map of clusters takes seconds, so it is drawn again only on request. */
export const memories = ['episodes', 'search', 'stats', 'entities', 'graph'].map((part) => `/api/memory/${part}`)

/** The addresses whose answers an event makes stale, by its type or else by its noun. Default: `/api/<noun>s`. */
const touched: Record<string, readonly string[]> = {
  conversation: [...chats, approvals, inbox, now],
  message: [...chats, '/api/agents', '/api/monitoring', '/api/providers/usage'],
  approval: [...chats, approvals, inbox, now, audit],
  chat: chats,
  check_in: chats,
  agent: ['/api/agents', ...chats, approvals, now],
  file: ['/api/files'],
  container: ['/api/sandbox'],
  browser: [
    '/api/browser/status',
    '/api/browser/recordings',
    '/api/browser/screen-recordings',
    '/api/browser/auth-states',
    '/api/browser/mock',
  ],
  memory: memories,
  project: ['/api/projects', inbox, now],
  plan: ['/api/projects', inbox],
  phase: ['/api/projects', inbox],
  task: ['/api/projects', inbox, now],
  'task.log': [],
  'approval.required': ['/api/projects', inbox],
  loop: ['/api/loops', inbox, now, automations],
  device: ['/api/devices', '/api/device-groups', inbox, audit],
  device_group: ['/api/device-groups', '/api/devices'],
  notified_browser: ['/api/notifications/browsers'],
  // Sent every second while a job runs. The memory page listens for its end.
  'memory.job.updated': ['/api/memory/jobs'],
  job: ['/api/scheduler', ...chats, now, automations],
  chain: ['/api/scheduler', automations],
  hook: ['/api/hooks', automations],
  workflow: ['/api/workflows', inbox, now, automations],
  channel: ['/api/channels', inbox, audit],
  dispatcher: ['/api/dispatcher'],
  provider: ['/api/providers', '/api/monitoring/health', audit],
  budget: ['/api/monitoring', audit],
  alert: ['/api/monitoring/alerts', audit],
  key: ['/api/auth/keys', audit],
  conversation_link: ['/api/chat/links'],
  invitation: ['/api/auth/invitations'],
  user: ['/api/auth/users', '/api/auth/me', audit],
  auth: ['/api/auth/keys', '/api/auth/users', '/api/auth/me', audit],
  tool_server: ['/api/settings/skills/mcp', audit],
  feature: ['/api/features', audit],
  skill: ['/api/settings/skills', audit],
  backup: ['/api/settings/backups', audit],
  storage: ['/api/settings/storage'],
  // Sent while a job runs; the page listens for it.
  'backup.job.updated': [],
  settings: [
    '/api/settings',
    '/api/dispatcher',
    '/api/sandbox',
    '/api/channels/settings',
    '/api/monitoring/kill-switch',
    '/api/providers/backup',
    '/api/providers/usage',
    audit,
  ],
}

/** Milliseconds in which events are collected, so that a burst of them refreshes once. */
const collect = 250
/** Milliseconds between refreshes while the socket is disconnected. Nothing polls while it is connected. */
const withoutBus = 15_000

/** Marks the queries whose address begins with one of `prefixes` as stale, and reloads those on screen. */
export const refresh = (queries: QueryClient, ...prefixes: readonly string[]): Promise<void> =>
  queries.invalidateQueries({
    predicate: ({ queryKey: [address] }) => prefixes.some((prefix) => String(address).startsWith(prefix)),
  })

/** Keeps the queries fresh from the bus. Returns a function that stops it. */
export function followBus(bus: Bus, queries: QueryClient): () => void {
  const stale = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let poll: ReturnType<typeof setInterval> | undefined
  let missed = false

  const flush = () => {
    timer = undefined
    void refresh(queries, ...stale)
    stale.clear()
  }
  const received = (event: BusEvent) => {
    if (event.type === 'resync') return void queries.invalidateQueries()
    const noun = event.type.split('.', 1)[0] ?? ''
    for (const key of touched[event.type] ?? touched[noun] ?? [`/api/${noun}s`, audit]) stale.add(key)
    if (stale.size > 0) timer ??= setTimeout(flush, collect)
  }
  const changed = () => {
    const live = bus.state() === 'live'
    if (live && missed) void queries.invalidateQueries()
    missed = !live
    clearInterval(poll)
    poll = live ? undefined : setInterval(() => void queries.invalidateQueries(), withoutBus)
  }
  const leave = [bus.listen([''], received), bus.watch(changed)]
  return () => {
    clearTimeout(timer)
    clearInterval(poll)
    for (const off of leave) off()
  }
}
