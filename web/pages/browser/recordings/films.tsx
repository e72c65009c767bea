import { Badge, Button, Group, Text, Title } from '@mantine/core'
import { IconMovie, IconPlayerStop, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { filmsQuery, type ScreenRecording } from '../../../api/browser.ts'
import { useApi } from '../../../app/services.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { byteSize, duration } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'
import classes from '../browser.module.css'
import { DeleteButton } from '../delete-button.tsx'
import { FilmPlayer } from './film-player.tsx'

/** Films of the active tab, and of replays. */
export function Films({ running }: { running: boolean }) {
  const api = useApi()
  const queries = useQueryClient()
  const query = useQuery(filmsQuery(api))
  const films = query.data?.screen_recordings ?? []
  const runs = films.some(({ status }) => status === 'recording')
  const film = useMutation({
    mutationFn: (action: 'start' | 'stop') => api.post('/api/browser/screen-recording', { action }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['browser', 'films'] }),
  })
  return (
    <section aria-label="Films" style={{ borderTop: '1px solid var(--line)' }}>
      <div className={classes.tools}>
        <Title order={3} size="h6" className="grow">
          Films
        </Title>
        <Button
          size="xs"
          variant={runs ? 'filled' : 'default'}
          color={runs ? 'red.9' : undefined}
          disabled={!running && !runs}
          loading={film.isPending}
          leftSection={runs ? <IconPlayerStop size={15} /> : <IconMovie size={15} />}
          onClick={() => film.mutate(runs ? 'stop' : 'start')}
        >
          {runs ? 'Stop the film' : 'Film the tab'}
        </Button>
      </div>
      <Loaded query={query} what="The films">
        {() =>
          films.length === 0 ? (
            <Text size="xs" c="dimmed" px="sm" pb="sm">
              None yet. A film ends by itself after two minutes.
            </Text>
          ) : (
            films.map((one) => <Row key={one.recording_id} film={one} />)
          )
        }
      </Loaded>
    </section>
  )
}

function Row({ film }: { film: ScreenRecording }) {
  const { recording_id, status, duration_seconds, size_bytes, format, replay_id, error, created_at } = film
  const api = useApi()
  const queries = useQueryClient()
  const [shown, setShown] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.remove(`/api/browser/screen-recordings/${recording_id}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['browser', 'films'] }),
  })
  const facts = [
    duration_seconds === null ? null : duration(duration_seconds),
    size_bytes === null ? null : byteSize(size_bytes),
    format,
    error,
  ]
  return (
    <article
      className="row"
      aria-label={replay_id ? 'Film of a replay' : 'Film of the tab'}
      style={{ flexWrap: 'wrap' }}
    >
      <div className="grow">
        <Group gap={6}>
          <Text size="sm">{replay_id ? 'Replay' : 'Tab'}</Text>
          {status !== 'completed' && (
            <Badge size="xs" variant="light" color={status === 'failed' ? 'red' : 'blue'}>
              {status === 'recording' ? 'filming' : status}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          <Time at={created_at} /> {facts.filter(Boolean).map((fact) => `· ${fact} `)}
        </Text>
      </div>
      {status === 'completed' && (
        <Button size="compact-xs" variant="default" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide' : 'Watch'}
        </Button>
      )}
      {status !== 'recording' && (
        <DeleteButton what="this film" icon={<IconTrash size={17} />} remove={remove} />
      )}
      {shown && <FilmPlayer film={film} />}
    </article>
  )
}
