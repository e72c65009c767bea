import { Button } from '@mantine/core'
import { IconBrain, IconMap, IconPuzzle, IconSparkles, IconVectorTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterResponse } from '../../../api/memory.ts'
import { counted } from '../../../parts/numbers.ts'
import { EmptyState } from '../../../parts/states.tsx'

type Reason = NonNullable<ClusterResponse['empty_reason']>

interface Explanation {
  icon: ReactNode
  title: string
  text: (map: ClusterResponse) => string
  action: { label: string; href: string }
}

const explanations: Record<Reason, Explanation> = {
  no_episodes: {
    icon: <IconBrain size={28} />,
    title: 'Nothing is remembered yet',
    text: () => 'The map begins with the first memories. Earlier conversations can be read for some.',
    action: { label: 'Remember earlier conversations', href: '/memory/upkeep' },
  },
  embeddings_unavailable: {
    icon: <IconVectorTriangle size={28} />,
    title: 'Nothing here knows what texts mean',
    text: ({ embeddings_installed, repair_command }) =>
      embeddings_installed || !repair_command
        ? 'The map needs embeddings, and they are switched off. Choose what makes them.'
        : `The map needs embeddings, and none can be made. Choose what makes them, or repair the installation with: ${repair_command}`,
    action: { label: 'Settings of memory', href: '/settings/memory' },
  },
  visualization_unavailable: {
    icon: <IconPuzzle size={28} />,
    title: 'The map comes as a pack',
    text: ({ visualization: { installed, complete } }) =>
      installed && !complete
        ? 'The pack “Map of memory” is installed in part only. Installing it again makes it whole.'
        : 'Install the pack “Map of memory”. You see what it would install, and how large it is, before anything is done.',
    action: { label: 'Look at the pack', href: '/settings/features' },
  },
  missing_embeddings: {
    icon: <IconSparkles size={28} />,
    title: 'The memories are not prepared yet',
    text: ({ episodes_total, episodes_embedded }) =>
      `${episodes_embedded} of ${counted(episodes_total, 'memory', 'memories')} can be drawn. Generating episodes prepares the others.`,
    action: { label: 'Prepare them', href: '/memory/upkeep' },
  },
  too_few_embeddings: {
    icon: <IconMap size={28} />,
    title: 'Too few for a map',
    text: ({ episodes_total }) =>
      `There ${episodes_total === 1 ? 'is' : 'are'} ${counted(episodes_total, 'memory', 'memories')}, and a map needs five to have something to tell apart.`,
    action: { label: 'See them', href: '/memory' },
  },
}

/** Why there is no map, and the one thing to do about it. */
export function EmptyMap({ reason, map }: { reason: Reason; map: ClusterResponse }) {
  const { icon, title, text, action } = explanations[reason]
  return (
    <section className="card" aria-label="No map">
      <EmptyState
        icon={icon}
        title={title}
        action={
          <Button component={Link} href={action.href}>
            {action.label}
          </Button>
        }
      >
        {text(map)}
      </EmptyState>
    </section>
  )
}
