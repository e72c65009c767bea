import { createParser } from 'eventsource-parser'
import { useEffect, useState } from 'react'
import type { LogLine } from '../../../runtime/monitoring/logs.ts'
import type { Api } from '../../api/client.ts'
import { useApi } from '../../app/services.tsx'

/** The least severe level that is shown. */
export type Level = LogLine['level']

interface Filter {
  level: Level
  area: string
  text: string
}

/** Maximum lines of the tail; older ones are dropped. */
const maxLines = 500
/** Milliseconds before a broken stream is reopened. */
const pause = 3_000

/** Lines written since the filter was set, newest first; empty while not live. */
export function useLogTail({ level, area, text }: Filter, live: boolean): readonly LogLine[] {
  const api = useApi()
  const [lines, setLines] = useState<readonly LogLine[]>([])
  useEffect(() => {
    setLines([])
    if (!live) return
    const stop = new AbortController()
    const add = (line: LogLine) => setLines((known) => [line, ...known].slice(0, maxLines))
    void keepFollowing(api, { level, area, text }, { add, signal: stop.signal })
    return () => stop.abort()
  }, [api, level, area, text, live])
  return lines
}

interface Follower {
  add: (line: LogLine) => void
  signal: AbortSignal
}

async function keepFollowing(api: Api, query: Filter, follower: Follower): Promise<void> {
  while (!follower.signal.aborted) {
    await follow(api, query, follower).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

async function follow(api: Api, query: Filter, { add, signal }: Follower): Promise<void> {
  const response = await api.open('GET', '/api/monitoring/logs/stream', { query, signal })
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'line') add(JSON.parse(data))
    },
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) parser.feed(part.value)
}
