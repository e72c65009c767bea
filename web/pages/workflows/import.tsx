import { Button, FileButton, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import type { AnswerOf } from '../../api/client.ts'
import { LinkButton } from '../../parts/buttons.tsx'
import { counted } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './actions.tsx'
import { issueText } from './labels.ts'

type Format = 'native' | 'n8n'
type Result = AnswerOf<'POST', '/api/workflows/import'>

const formats = [
  { value: 'native', label: 'hearthd' },
  { value: 'n8n', label: 'n8n' },
]

/** Imports a workflow from a file or pasted JSON, and shows what could not be translated. */
export function ImportPage() {
  const [format, setFormat] = useState<Format>('native')
  const [text, setText] = useState('')
  const parsed = read(text)
  const add = useChange(
    (api, content: Record<string, unknown>) => api.post('/api/workflows/import', { query: { format }, body: content }),
    { stale },
  )
  const fill = (content: string) => {
    setText(content)
    add.reset()
    const file = read(content)
    if (file) setFormat(looksLikeN8n(file) ? 'n8n' : 'native')
  }
  return (
    <div className="page">
      <TextLink href="/workflows">← Workflows</TextLink>
      <PageHeader title="Import a workflow" description="From an export of hearthd or n8n." />
      <Stack maw={720} gap="lg">
        <Panel title="File">
          <Stack px="md" pb="md">
            <Group justify="space-between">
              <SegmentedControl
                aria-label="Format"
                size="xs"
                data={formats}
                value={format}
                onChange={(value) => setFormat(value as Format)}
              />
              <FileButton accept="application/json,.json" onChange={async (file) => file && fill(await file.text())}>
                {(button) => (
                  <Button {...button} size="xs" variant="default">
                    Choose a file
                  </Button>
                )}
              </FileButton>
            </Group>
            <Textarea
              label="JSON"
              placeholder="Choose a file, or paste the workflow here"
              autosize
              minRows={6}
              maxRows={18}
              spellCheck={false}
              classNames={{ input: 'mono' }}
              value={text}
              error={text.trim() !== '' && parsed === null ? 'This is not valid JSON' : undefined}
              onChange={(event) => fill(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button
                leftSection={<IconFileImport size={16} />}
                disabled={parsed === null}
                loading={add.isPending}
                onClick={() => parsed && add.mutate(parsed)}
              >
                Import
              </Button>
            </Group>
          </Stack>
        </Panel>
        {add.data && <Report result={add.data} />}
      </Stack>
    </div>
  )
}

function read(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** n8n keeps connections by the name of their node. */
const looksLikeN8n = (content: Record<string, unknown>): boolean =>
  'connections' in content && Array.isArray(content.nodes)

/** What was imported, and what is left to do by hand. */
function Report({ result: { workflow, report } }: { result: Result }) {
  const { nodes, placeholders, issues, credentials } = report
  const complete = placeholders.length + issues.length + credentials.length === 0
  return (
    <Panel
      title="Report"
      action={
        <LinkButton href={`/workflows/${workflow.id}`} variant="filled">
          Open workflow
        </LinkButton>
      }
    >
      <Text size="sm" px="md" pb="sm">
        {workflow.name} was imported with {counted(nodes, 'node', 'nodes')}.{' '}
        {complete ? 'Everything was translated.' : 'Some parts need your attention:'}
      </Text>
      {credentials.map(({ name, kind, node_ids }) => (
        <Row
          key={name}
          name={name}
          badges={<StatusBadge label="Credential" color="yellow" />}
          actions={<LinkButton href={`/settings/credentials?${new URLSearchParams({ name, kind })}`}>Enter</LinkButton>}
        >
          <Hint>Needed by {counted(node_ids.length, 'node', 'nodes')}; a file of n8n contains no secrets</Hint>
        </Row>
      ))}
      {placeholders.map(({ node_id, name, type, reason }) => (
        <Row key={node_id} name={name} badges={<StatusBadge label="Placeholder" color="yellow" />}>
          <Hint>
            {type}: {reason}
          </Hint>
        </Row>
      ))}
      {issues.map(({ node_id, name, field, message, original }) => (
        <Row key={`${node_id} ${field} ${message}`} name={name || 'Workflow'} badges={<Hint>{field}</Hint>}>
          <Hint>{issueText(message)}</Hint>
          {original && <Hint className="mono">{original}</Hint>}
        </Row>
      ))}
    </Panel>
  )
}
