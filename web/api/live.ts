import type { QueryClient } from '@tanstack/react-query'
import type { Bus, BusEvent } from './bus.ts'

/** Which queries an event makes stale, by its type or else its noun. Query keys begin with one of these words. */
const touched: Record<string, readonly string[]> = {
  conversation: ['conversations', 'approvals'],
  message: ['conversations', 'tokens', 'usage', 'budgets', 'agents', 'provider-usage'],
  approval: ['approvals', 'conversations', 'audit'],
  chat: ['check-ins'],
  check_in: ['check-ins'],
  agent: ['agents', 'conversations', 'approvals'],
  file: ['files'],
  browser: ['browser'],
  memory: ['memory', 'memory-graph'],
  // Comes every second while a job runs; its end is heard by the page of memory.
  'memory.job.updated': ['memory-jobs'],
  job: ['scheduler', 'conversations'],
  chain: ['scheduler'],
  provider: ['providers', 'provider-usage', 'health', 'audit'],
  budget: ['budgets', 'tokens', 'audit'],
  key: ['keys', 'audit'],
  user: ['users', 'audit'],
  auth: ['keys', 'users', 'audit'],
  tool_server: ['tool-servers', 'audit'],
  feature: ['features', 'audit'],
  skill: ['skills', 'audit'],
  settings: ['profile', 'settings', 'kill-switch', 'provider-backup', 'provider-usage', 'audit'],
}

/** Milliseconds in which events are gathered, so a stream of them refreshes once. */
const gather = 250
/** Milliseconds between refreshes while the socket is away. Nothing polls while it lives. */
const withoutBus = 15_000

/** Keeps the queries fresh from the bus. */
export function followBus(bus: Bus, queries: QueryClient): () => void {
  const stale = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let poll: ReturnType<typeof setInterval> | undefined
  let missed = false

  const flush = () => {
    timer = undefined
    for (const key of stale) void queries.invalidateQueries({ queryKey: [key] })
    stale.clear()
  }
  const heard = (event: BusEvent) => {
    if (event.type === 'resync') return void queries.invalidateQueries()
    for (const key of touched[event.type] ?? touched[event.type.split('.', 1)[0] ?? ''] ?? []) stale.add(key)
    if (stale.size > 0) timer ??= setTimeout(flush, gather)
  }
  const changed = () => {
    const live = bus.state() === 'live'
    if (live && missed) void queries.invalidateQueries()
    missed = !live
    clearInterval(poll)
    poll = live ? undefined : setInterval(() => void queries.invalidateQueries(), withoutBus)
  }
  const leave = [bus.listen([''], heard), bus.watch(changed)]
  return () => {
    clearTimeout(timer)
    clearInterval(poll)
    for (const off of leave) off()
  }
}
