import { Anchor, Badge, Drawer, Group, Stack, Text, TextInput } from '@mantine/core'
import { Fragment, useState } from 'react'
import type { CatalogEntry } from '../../../runtime/settings/mcp/catalog.ts'
import { useEndpoint } from '../../api/query.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { EntityForm, inputsOf, required, useApiForm } from '../../parts/form.tsx'
import { List } from '../../parts/list.tsx'
import { Row } from '../../parts/row.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'

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
          <div>
            <List
              query={query}
              what="The catalog"
              items={({ entries }) => entries.filter(matching(text))}
              empty="No matches."
            >
              {(entry) => <Entry key={entry.id} entry={entry} choose={() => setChosen(entry)} />}
            </List>
          </div>
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

const Entry = ({ entry, choose }: { entry: CatalogEntry; choose: () => void }) => (
  <Row name={entry.title} actions={<SmallButton onClick={choose}>Install</SmallButton>}>
    <Muted>{entry.description}</Muted>
    <Group gap={6} mt={2}>
      <Hint>{entry.publisher}</Hint>
      {entry.programs.map((program) => (
        <Badge key={program} size="xs" variant="default">
          needs {program}
        </Badge>
      ))}
    </Group>
  </Row>
)

interface InstallProps {
  entry: CatalogEntry
  back: () => void
  close: () => void
}

function Install({ entry: { id, description, publisher, homepage, needs }, back, close }: InstallProps) {
  const api = useApi()
  const form = useApiForm({
    initial: { name: id, values: Object.fromEntries(needs.map(({ name }) => [name, ''])) },
    save({ name, values }) {
      const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value))
      return api.post('/api/settings/skills/mcp/catalog/{entry_id}/install', {
        params: { entry_id: id },
        body: { name, values: given },
      })
    },
    stale: ['/api/settings/skills/mcp'],
    saved({ name }) {
      announce(`${name} was added. Connect it to use its tools.`)
      close()
    },
  })
  const { text } = inputsOf(form)
  return (
    <EntityForm form={form} verb="Install" close={back} closeLabel="Back">
      <Text size="sm">
        {description} By {publisher};{' '}
        <Anchor href={homepage} target="_blank" rel="noreferrer" inherit>
          homepage
        </Anchor>
        . Install it only if you trust its publisher.
      </Text>
      {text('name', 'Name', required)}
      {needs.map(({ name, secret, example, ...need }) => (
        <Fragment key={name}>
          {text(`values.${name}`, need.required ? name : `${name} (optional)`, {
            description: need.description,
            placeholder: example ?? undefined,
            type: secret ? 'password' : 'text',
            autoComplete: 'off',
          })}
        </Fragment>
      ))}
    </EntityForm>
  )
}
