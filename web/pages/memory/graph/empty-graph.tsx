import { Button } from '@mantine/core'
import { IconShare3 } from '@tabler/icons-react'
import { Link } from 'wouter'
import { EmptyState } from '../../../parts/states.tsx'

export const EmptyGraph = () => (
  <section className="card" aria-label="No graph">
    <EmptyState
      icon={<IconShare3 size={28} />}
      title="Nobody and nothing is known yet"
      action={
        <Button component={Link} href="/memory/upkeep">
          Read the memories
        </Button>
      }
    >
      People, places, things and the facts between them are read out of the memories, every night by itself or
      whenever you like.
    </EmptyState>
  </section>
)
