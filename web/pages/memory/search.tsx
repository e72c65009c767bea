import {
  Alert,
  Badge,
  Button,
  Group,
  Indicator,
  Popover,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconBrain, IconFilter, IconFilterOff, IconInfoCircle, IconSearchOff, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { SearchMode, SearchResponse, SearchResult } from '../../../runtime/memory/schema.ts'
import { useEndpoint, usePages } from '../../api/query.ts'
import { LinkButton, SmallButton } from '../../parts/buttons.tsx'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { Marked } from '../../parts/marked.tsx'
import { counted } from '../../parts/numbers.ts'
import { optionsOf } from '../../parts/options.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { Muted } from '../../parts/typography.tsx'
import { useParameters } from '../../parts/use-parameters.ts'
import { degradedTexts, matchLabels, modes, percent, sourceLabel } from './labels.ts'
import classes from './memory.module.css'
import { AgentSelect, EpisodeRow } from './parts.tsx'

/** The filters of the list; an empty value does not filter. A search has no groups. */
type Filters = Record<'agent_id' | 'source' | 'start_date' | 'end_date' | 'cluster_id', string>
type ChangeFilters = (changes: Partial<Filters>) => void

const noFilters: Filters = { agent_id: '', source: '', start_date: '', end_date: '', cluster_id: '' }

/** Names of the filters in the URL. */
const parameters: Record<keyof Filters, string> = {
  agent_id: 'agent',
  source: 'source',
  start_date: 'from',
  end_date: 'to',
  cluster_id: 'cluster',
}

function useFilters() {
  const { get, set } = useParameters()
  const names = Object.keys(parameters) as (keyof Filters)[]
  const filters = Object.fromEntries(names.map((name) => [name, get(parameters[name])])) as unknown as Filters
  const change: ChangeFilters = (changes) =>
    set(Object.fromEntries(Object.entries(changes).map(([name, value]) => [parameters[name as keyof Filters], value])))
  return { filters, change }
}

/** Search results, or the newest memories if there is no search text. */
export function Search() {
  const { get, set } = useParameters()
  const { filters, change } = useFilters()
  const q = get('q')
  const mode = (get('mode') || 'hybrid') as SearchMode
  const [text, setText] = useState(q)
  const search = useDebouncedCallback((next: string) => set({ q: next.trim() }), 250)
  const { cluster_id: _, ...searchable } = filters
  return (
    <>
      <search>
        <Group gap="0.6rem" mb="sm">
          <SearchField
            type="search"
            what="Search memory"
            data-search
            miw={220}
            value={text}
            change={(typed) => {
              setText(typed)
              search(typed)
            }}
          />
          <Tooltip label={modes[mode]?.hint}>
            <SegmentedControl
              aria-label="Search by"
              data={optionsOf(modes)}
              value={mode}
              onChange={(next) => set({ mode: next === 'hybrid' ? '' : next })}
            />
          </Tooltip>
          <FilterMenu filters={filters} change={change} />
        </Group>
      </search>
      {q ? <Results search={{ q, mode, ...searchable }} /> : <Newest filters={filters} change={change} />}
    </>
  )
}

function FilterMenu({ filters, change }: { filters: Filters; change: ChangeFilters }) {
  const sources = Object.keys(useEndpoint('/api/memory/stats').data?.source_distribution ?? {})
  const active = Object.values(filters).some(Boolean)
  const inPopover = { comboboxProps: { withinPortal: false } }
  return (
    <Popover width={300} position="bottom-end" trapFocus returnFocus shadow="md">
      <Indicator disabled={!active} offset={4} size={9}>
        <Popover.Target>
          <Button variant="default" leftSection={<IconFilter size={16} />}>
            Filter
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label="Filters">
        <Stack gap="sm">
          <AgentSelect value={filters.agent_id} onChange={(agent_id) => change({ agent_id })} {...inPopover} />
          <Select
            label="Source"
            placeholder="All sources"
            clearable
            data={[...new Set([...sources, filters.source])]
              .filter(Boolean)
              .map((value) => ({ value, label: sourceLabel(value) }))}
            value={filters.source || null}
            onChange={(source) => change({ source: source ?? '' })}
            {...inPopover}
          />
          <TextInput
            type="date"
            label="From"
            value={filters.start_date}
            onChange={(event) => change({ start_date: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label="Until"
            value={filters.end_date}
            onChange={(event) => change({ end_date: event.currentTarget.value })}
          />
          {active && (
            <Button variant="subtle" size="xs" onClick={() => change(noFilters)}>
              Clear filters
            </Button>
          )}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const loading = <SkeletonRows count={6} height={64} />

function Newest({ filters, change }: { filters: Filters; change: ChangeFilters }) {
  const query = usePages('/api/memory/episodes', { query: filters }, { size: 30 })
  const total = query.data?.pages[0]?.total
  const filtered = Object.values(filters).some(Boolean)
  return (
    <section aria-label="Newest memories">
      <Group gap="0.6rem" mih="1.6rem" mb="0.35rem">
        <Muted role="status">{total !== undefined && `${counted(total, 'memory', 'memories')}, newest first`}</Muted>
        {filters.cluster_id && (
          <Badge
            component="button"
            rightSection={<IconX size={12} />}
            style={{ cursor: 'pointer' }}
            onClick={() => change({ cluster_id: '' })}
          >
            One group of the map
          </Badge>
        )}
      </Group>
      <div className="card">
        <List
          query={query}
          what="Memories"
          skeleton={loading}
          items="episodes"
          empty={filtered ? <NoMatch clear={() => change(noFilters)} /> : <NoMemories />}
        >
          {(episode) => <EpisodeRow key={episode.id} episode={episode} />}
        </List>
      </div>
    </section>
  )
}

const NoMatch = ({ clear }: { clear: () => void }) => (
  <EmptyState
    icon={<IconFilterOff size={28} />}
    title="No memories match these filters"
    action={
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
    }
  />
)

const NoMemories = () => (
  <EmptyState
    icon={<IconBrain size={28} />}
    title="No memories yet"
    action={<LinkButton href="/memory/maintenance">Import from conversations</LinkButton>}
  >
    Agents save what matters from your conversations. You can also add a memory, or create memories from earlier
    conversations.
  </EmptyState>
)

function Results({ search }: { search: Omit<Filters, 'cluster_id'> & { q: string; mode: SearchMode } }) {
  const query = usePages('/api/memory/search', { query: search }, { size: 30 })
  const first = query.data?.pages[0]
  return (
    <section aria-label="Search results" aria-busy={query.isPlaceholderData}>
      <Group gap="0.6rem" mih="1.6rem" mb="0.35rem">
        <Muted role="status">{first && `${counted(first.total, 'memory', 'memories')} found, best match first`}</Muted>
      </Group>
      {first?.degraded && <Degraded reason={first.degraded} searchAgain={() => query.refetch()} />}
      <div className="card">
        <List
          query={query}
          what="Search results"
          skeleton={loading}
          items="results"
          empty={
            <EmptyState icon={<IconSearchOff size={28} />} title="No memories found">
              {search.mode === 'keyword' && 'Search by meaning to find memories in other words.'}
            </EmptyState>
          }
        >
          {(result) => <ResultRow key={result.episode.id} result={result} />}
        </List>
      </div>
    </section>
  )
}

function ResultRow({ result: { episode, score, source, highlights } }: { result: SearchResult }) {
  const fragments = highlights.map((html) => (
    <span key={html} className={classes.fragment}>
      <Marked html={html} />
    </span>
  ))
  return (
    <EpisodeRow
      episode={episode}
      text={fragments.length > 0 ? fragments : undefined}
      note={`${percent(score)} ${matchLabels[source]}`}
    />
  )
}

type Reason = NonNullable<SearchResponse['degraded']>

/** Milliseconds after which the search runs again while the embedding model is loading. */
const retryAfter = 1_500

/** Why a search was degraded, and what to do about it. */
function Degraded({ reason, searchAgain }: { reason: Reason; searchAgain: () => unknown }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each reason, with the current `searchAgain`
  useEffect(() => {
    if (reason !== 'embeddings_loading') return
    const timer = setTimeout(searchAgain, retryAfter)
    return () => clearTimeout(timer)
  }, [reason])
  const actions: Record<Reason, ReactNode> = {
    embeddings_unavailable: <LinkButton href="/settings/memory">Open memory settings</LinkButton>,
    embeddings_loading: <SmallButton onClick={() => searchAgain()}>Search again</SmallButton>,
    embeddings_incomplete: <LinkButton href="/memory/maintenance">Create embeddings</LinkButton>,
  }
  return (
    <Alert color="gray" icon={<IconInfoCircle size={18} />} mb="sm" role="status">
      <Group gap="0.6rem" justify="space-between">
        <Text size="sm" className="words">
          {degradedTexts[reason]}
        </Text>
        {actions[reason]}
      </Group>
    </Alert>
  )
}
