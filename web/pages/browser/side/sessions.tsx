import { Button, Text, TextInput } from '@mantine/core'
import { IconCookie, IconDeviceFloppy, IconTrash } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AuthState, authStatesQuery } from '../../../api/browser.ts'
import { fieldErrors } from '../../../api/error.ts'
import { useApi } from '../../../app/services.tsx'
import { announce, announceError } from '../../../parts/announce.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { counted } from '../../../parts/numbers.ts'
import { EmptyState } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import classes from '../browser.module.css'
import { DeleteButton } from '../delete-button.tsx'
import { Cookies } from './cookies.tsx'

/** Cookies and local storage under a name, to be signed in again later. */
export function SessionsPanel({ running }: { running: boolean }) {
  const query = useQuery(authStatesQuery(useApi()))
  return (
    <>
      {running && <SaveForm />}
      <Loaded query={query} what="The saved sessions">
        {({ auth_states }) =>
          auth_states.length === 0 ? (
            <EmptyState icon={<IconCookie size={28} />} title="No saved sessions">
              Sign in somewhere, then save the session: it stays when the browser closes.
            </EmptyState>
          ) : (
            auth_states.map((state) => <Row key={state.name} state={state} />)
          )
        }
      </Loaded>
      {running && <Cookies />}
    </>
  )
}

function SaveForm() {
  const api = useApi()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const save = useMutation({
    mutationFn: () => api.post('/api/browser/auth-states', { name: name.trim() }),
    meta: { shown: true },
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['browser', 'auth-states'] })
      setName('')
      announce('The session is saved')
    },
    onError(error) {
      if (Object.keys(fieldErrors(error)).length === 0) announceError(error)
    },
  })
  return (
    <form
      className={classes.tools}
      aria-label="Save the session"
      onSubmit={(event) => {
        event.preventDefault()
        if (name.trim()) save.mutate()
      }}
    >
      <TextInput
        className="grow"
        size="xs"
        aria-label="Name of the session"
        placeholder="Name, such as Bank"
        maxLength={64}
        value={name}
        error={fieldErrors(save.error).name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button
        type="submit"
        size="xs"
        disabled={!name.trim()}
        loading={save.isPending}
        leftSection={<IconDeviceFloppy size={15} />}
      >
        Save the session
      </Button>
    </form>
  )
}

function Row({ state: { name, cookies, origins, created_at } }: { state: AuthState }) {
  const api = useApi()
  const queries = useQueryClient()
  const path = `/api/browser/auth-states/${encodeURIComponent(name)}`
  const restore = useMutation({
    mutationFn: () => api.post(`${path}/restore`),
    onSuccess: () => announce(`${name} is back`),
  })
  const remove = useMutation({
    mutationFn: () => api.remove(path),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['browser', 'auth-states'] }),
  })
  return (
    <article className="row" aria-label={name}>
      <div className="grow">
        <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {counted(cookies, 'cookie', 'cookies')}
          {origins.length > 0 && ` · storage of ${origins.map(hostOf).join(', ')}`} · <Time at={created_at} />
        </Text>
      </div>
      <Button
        size="compact-xs"
        variant="default"
        loading={restore.isPending}
        onClick={() => restore.mutate()}
      >
        Restore
      </Button>
      <DeleteButton what={name} icon={<IconTrash size={17} />} remove={remove} />
    </article>
  )
}

const hostOf = (origin: string) => origin.replace(/^https?:\/\//, '')
