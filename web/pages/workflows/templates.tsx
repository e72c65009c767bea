import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useLocation } from 'wouter'
import type { Template } from '../../../runtime/workflows/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/buttons.tsx'
import { Hint } from '../../parts/hint.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { CardSkeletons } from '../../parts/states.tsx'
import { TextLink } from '../../parts/text-link.tsx'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './actions.tsx'

/** Finished workflows to start from. */
export function Templates() {
  const query = useEndpoint('/api/workflows/templates')
  return (
    <div className="page">
      <TextLink href="/workflows">← Workflows</TextLink>
      <PageHeader
        title="Templates"
        description="Finished workflows to start from. A copy is yours to change."
      />
      <Loaded query={query} what="The templates" skeleton={<CardSkeletons count={6} height={150} />}>
        {({ templates }) => (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
            {templates.map((template) => (
              <Card key={template.id} template={template} />
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </div>
  )
}

const needs: Record<Template['needs'][number], string> = {
  model: 'Needs a model',
  email: 'Needs a mail server',
  browser: 'Needs a browser',
}

function Card({ template }: { template: Template }) {
  const { id, name, description } = template
  const [, navigate] = useLocation()
  const use = useChange(
    (api) => api.post('/api/workflows/templates/{id}/instantiate', { params: { id }, body: {} }),
    { stale, done: (workflow) => navigate(`/workflows/${workflow.id}`) },
  )
  return (
    <Stack component="article" className="card" p="md" gap="xs" justify="space-between" aria-label={name}>
      <div>
        <Text component="h2" fw={600} size="sm">
          {name}
        </Text>
        <Hint mt={4}>{description}</Hint>
        <Group gap={6} mt="xs">
          {template.needs.map((need) => (
            <Badge key={need} color="gray">
              {needs[need]}
            </Badge>
          ))}
        </Group>
      </div>
      <div>
        <ActionButton run={use} aria-label={`Use template: ${name}`}>
          Use
        </ActionButton>
      </div>
    </Stack>
  )
}
