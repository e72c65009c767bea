import { Anchor, Button, Group, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconArrowLeft, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { episodeQuery } from '../../../api/episodes.ts'
import { ApiError } from '../../../api/error.ts'
import type { EpisodeDetail } from '../../../api/memory.ts'
import { useApi } from '../../../app/services.tsx'
import { ErrorState, SkeletonRows } from '../../../parts/states.tsx'
import classes from '../memory.module.css'
import { DeleteButton } from './delete.tsx'
import { Facts } from './facts.tsx'
import { Gone } from './gone.tsx'
import { History } from './history.tsx'
import { Related } from './related.tsx'
import { Texts } from './texts.tsx'
import { Usefulness } from './usefulness.tsx'

const EpisodeForm = lazy(async () => ({ default: (await import('./form.tsx')).EpisodeForm }))

/** One episode with all that is known of it. */
export function EpisodeView({ id }: { id: string }) {
  const query = useQuery(episodeQuery(useApi(), id))
  useDocumentTitle('Memory · hearthd')
  const missing = query.error instanceof ApiError && query.error.status === 404
  return (
    <>
      <Anchor component={Link} href="/memory" size="sm" underline="hover" className={classes.back}>
        <IconArrowLeft size={16} aria-hidden /> All of memory
      </Anchor>
      {missing && <Gone id={id} />}
      {!missing && query.isError && (
        <ErrorState what="This memory" error={query.error} retry={() => query.refetch()} />
      )}
      {query.isPending && <SkeletonRows count={6} />}
      {!missing && query.data && <Shown episode={query.data} />}
    </>
  )
}

function Shown({ episode }: { episode: EpisodeDetail }) {
  const [editing, setEditing] = useState(false)
  return (
    <article aria-label="Memory">
      <Group justify="space-between" mb="md">
        <Title order={1} size="h2">
          A memory
        </Title>
        <Group gap="xs">
          <Button variant="default" leftSection={<IconPencil size={16} />} onClick={() => setEditing(true)}>
            Change
          </Button>
          <DeleteButton id={episode.id} />
        </Group>
      </Group>
      <div className={classes.detail}>
        <Stack gap="lg" className="grow">
          <Texts episode={episode} />
          <Related id={episode.id} />
        </Stack>
        <Stack gap="lg" className={classes.side}>
          <Facts episode={episode} />
          <Usefulness episode={episode} />
          <History episode={episode} />
        </Stack>
      </div>
      {editing && (
        <Suspense>
          <EpisodeForm episode={episode} close={() => setEditing(false)} />
        </Suspense>
      )}
    </article>
  )
}
