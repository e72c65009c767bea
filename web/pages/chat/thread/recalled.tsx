import { Text, UnstyledButton } from '@mantine/core'
import { IconBrain, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { RecallPart } from '../../../../runtime/chat/schema.ts'
import { episodeQuery } from '../../../api/episodes.ts'
import { useApi } from '../../../app/services.tsx'
import { Time } from '../../../parts/time.tsx'
import { recalledLabel } from '../state/recalled-label.ts'
import classes from './thread.module.css'

/** What an answer had from memory. Closed unless asked for; a memory is read when it is looked at. */
export function Recalled({ episodes }: Pick<RecallPart, 'episodes'>) {
  const [opened, setOpened] = useState(false)
  const content = useId()
  return (
    <div className={classes.reasoning} data-part="recall">
      <UnstyledButton
        className={classes.reasoningHead}
        aria-expanded={opened}
        aria-controls={content}
        onClick={() => setOpened(!opened)}
      >
        <IconBrain size={16} aria-hidden />
        <span>{recalledLabel(episodes)}</span>
        <IconChevronRight
          size={14}
          className={classes.chevron}
          data-opened={opened || undefined}
          aria-hidden
        />
      </UnstyledButton>
      <div id={content} hidden={!opened} className={classes.reasoningText}>
        {opened && episodes.map((episode) => <Memory key={episode.id} {...episode} />)}
      </div>
    </div>
  )
}

function Memory({ id, used }: RecallPart['episodes'][number]) {
  const { data, isError } = useQuery(episodeQuery(useApi(), id))
  if (isError) return <Text size="sm">Forgotten since</Text>
  if (!data) return <Text size="sm">…</Text>
  return (
    <Text size="sm" c={used === false ? 'dimmed' : undefined} mb={6}>
      {data.content} <Time at={data.created_at} />
    </Text>
  )
}
