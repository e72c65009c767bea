import { Alert, Button, Group, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { useEffect } from 'react'
import { Link } from 'wouter'
import type { SearchResponse } from '../../../api/memory.ts'

type Reason = NonNullable<SearchResponse['degraded']>

const words: Record<Reason, string> = {
  embeddings_unavailable:
    'Found by words alone. Searching by meaning needs embeddings, and none are set up here.',
  embeddings_loading:
    'Found by words alone. The model that knows what texts mean is still starting; the search runs again in a moment.',
  embeddings_incomplete:
    'Some memories are not prepared for searching by meaning yet, so they were looked through for words alone.',
}

/** Milliseconds after which a model that was starting is asked once more. */
const patience = 1_500

interface DegradedProps {
  reason: Reason
  again: () => unknown
}

/** Why a search is less than was asked for, and what can be done. */
export function Degraded({ reason, again }: DegradedProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each reason, whoever `again` is by then
  useEffect(() => {
    if (reason !== 'embeddings_loading') return
    const timer = setTimeout(again, patience)
    return () => clearTimeout(timer)
  }, [reason])
  return (
    <Alert variant="light" color="gray" icon={<IconInfoCircle size={18} />} mb="sm" role="status">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="words">
          {words[reason]}
        </Text>
        {reason === 'embeddings_unavailable' && (
          <Button component={Link} href="/settings/memory" size="xs" variant="default">
            Settings of memory
          </Button>
        )}
        {reason === 'embeddings_loading' && (
          <Button size="xs" variant="default" onClick={() => again()}>
            Search again
          </Button>
        )}
        {reason === 'embeddings_incomplete' && (
          <Button component={Link} href="/memory/upkeep" size="xs" variant="default">
            Prepare them
          </Button>
        )}
      </Group>
    </Alert>
  )
}
