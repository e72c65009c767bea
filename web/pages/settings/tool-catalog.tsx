import { Alert, Anchor, Badge, Button, Drawer, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { CatalogEntry } from '../../../runtime/settings/mcp/catalog.ts'
import { fieldErrors, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { Loaded } from '../../parts/loaded.tsx'

/** Installs well-known servers. */
export function Catalog({ close }: { close: () => void }) {
  const query = useEndpoint('/api/settings/skills/mcp/catalog', {}, { staleTime: Number.POSITIVE_INFINITY })
  const [chosen, setChosen] = useState<CatalogEntry | null>(null)
  const [text, setText] = useState('')
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={chosen?.title ?? 'Catalog'}>
      {chosen ? (
        <Install entry={chosen} back={() => setChosen(null)} close={close} />
      ) : (
        <Stack>
          <TextInput
            type="search"
            aria-label="Search the catalog"
            placeholder="Search"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Loaded query={query} what="The catalog">
            {({ entries }) =>
              entries
                .filter(matching(text))
                .map((entry) => <Entry key={entry.id} entry={entry} choose={() => setChosen(entry)} />)
            }
          </Loaded>
        </Stack>
      )}
    </Drawer>
  )
}

const matching = (text: string) => {
  const wanted = text.trim().toLowerCase()
  return ({ title, description, publisher }: CatalogEntry) =>
    `${title} ${description} ${publisher}`.toLowerCase().includes(wanted)
}

function Entry({ entry, choose }: { entry: CatalogEntry; choose: () => void }) {
  return (
    <article aria-label={entry.title}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div className="grow">
          <Text fw={500}>{entry.title}</Text>
          <Text size="sm" c="dimmed">
            {entry.description}
          </Text>
          <Group gap={6} mt={2}>
            <Text size="xs" c="dimmed">
              {entry.publisher}
            </Text>
            {entry.programs.map((program) => (
              <Badge key={program} size="xs" variant="default">
                needs {program}
              </Badge>
            ))}
          </Group>
        </div>
        <Button size="xs" variant="default" style={{ flexShrink: 0 }} onClick={choose}>
          Install
        </Button>
      </Group>
    </article>
  )
}

function Install({ entry, back, close }: { entry: CatalogEntry; back: () => void; close: () => void }) {
  const [name, setName] = useState(entry.id)
  const [values, setValues] = useState<Record<string, string>>({})
  const install = useInstall(entry, close)
  const errors = fieldErrors(install.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const given = Object.entries(values).filter(([, value]) => value !== '')
    install.mutate({ name, values: Object.fromEntries(given) })
  }
  return (
    <Stack component="form" onSubmit={submit}>
      {install.isError && Object.keys(errors).length === 0 && (
        <Alert color="red" role="alert">
          {readable(install.error)}
        </Alert>
      )}
      <Text size="sm">
        {entry.description} By {entry.publisher};{' '}
        <Anchor href={entry.homepage} target="_blank" rel="noreferrer" inherit>
          homepage
        </Anchor>
        . Install it only if you trust its publisher.
      </Text>
      <TextInput
        label="Name"
        required
        withAsterisk={false}
        error={errors.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {entry.needs.map((need) => (
        <TextInput
          key={need.name}
          label={need.required ? need.name : `${need.name} (optional)`}
          description={need.description}
          placeholder={need.example ?? undefined}
          type={need.secret ? 'password' : 'text'}
          autoComplete="off"
          error={errors[`values.${need.name}`]}
          value={values[need.name] ?? ''}
          onChange={(event) => setValues({ ...values, [need.name]: event.currentTarget.value })}
        />
      ))}
      <Group justify="space-between">
        <Button variant="default" onClick={back}>
          Back
        </Button>
        <Button type="submit" loading={install.isPending}>
          Install
        </Button>
      </Group>
    </Stack>
  )
}

function useInstall({ id }: CatalogEntry, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { name: string; values: Record<string, string> }) =>
      api.post('/api/settings/skills/mcp/catalog/{entry_id}/install', { params: { entry_id: id }, body }),
    meta: { shown: true },
    async onSuccess({ name }) {
      await refresh(queries, '/api/settings/skills/mcp')
      announce(`${name} was added. Connect it to use its tools.`)
      close()
    },
  })
}
