import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { EpisodeFilters, SearchMode } from '../../../api/memory.ts'

export interface Asked extends EpisodeFilters {
  q: string
  mode: SearchMode
  cluster_id: string
}

const names = {
  q: 'q',
  mode: 'mode',
  agent_id: 'agent',
  source: 'source',
  start_date: 'from',
  end_date: 'to',
  cluster_id: 'cluster',
} as const

/** Milliseconds without a key before a text is looked for. */
const pause = 250

/** What is looked for stands in the address, so that back, reload and a link show the same. */
export function useSearch() {
  const [parameters, setParameters] = useSearchParams()
  const asked = read(parameters)
  const [text, setText] = useState(asked.q)
  const change = (changes: Partial<Asked>) =>
    setParameters((before) => write(before, changes), { replace: true })
  const look = useDebouncedCallback((q: string) => change({ q }), pause)
  return {
    asked,
    text,
    change,
    type(next: string) {
      setText(next)
      look(next.trim())
    },
  }
}

function read(parameters: URLSearchParams): Asked {
  const of = (name: keyof typeof names) => parameters.get(names[name]) ?? ''
  const mode = of('mode')
  return {
    q: of('q'),
    mode: mode === 'keyword' || mode === 'semantic' ? mode : 'hybrid',
    agent_id: of('agent_id'),
    source: of('source'),
    start_date: of('start_date'),
    end_date: of('end_date'),
    cluster_id: of('cluster_id'),
  }
}

function write(before: URLSearchParams, changes: Partial<Asked>): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const [name, value] of Object.entries(changes)) {
    const parameter = names[name as keyof Asked]
    if (value === '' || value === 'hybrid') after.delete(parameter)
    else after.set(parameter, value)
  }
  return after
}
