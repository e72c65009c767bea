import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Template, Workflow } from '../../../runtime/workflows/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { ActionButton } from '../../parts/action-button.tsx'
import { FormModal } from '../../parts/form-modal.tsx'
import { CardSkeletons, Loaded } from '../../parts/list.tsx'
import { PageHeader } from '../../parts/page.tsx'
import type { Schema } from '../../parts/schema/schema.ts'
import { Hint, TextLink } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'
import { stale } from './actions.tsx'
import { ParameterForm } from './parameter-form.tsx'

/** Finished workflows to start from. */
export function Templates() {
  const query = useEndpoint('/api/workflows/templates')
  return (
    <div className="page">
      <TextLink href="/workflows">← Workflows</TextLink>
      <PageHeader title="Templates" description="Finished workflows to start from. A copy is yours to change." />
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
  const [created, setCreated] = useState<Workflow | null>(null)
  const open = (workflow: Workflow) => navigate(`/workflows/${workflow.id}`)
  const use = useChange((api) => api.post('/api/workflows/templates/{id}/instantiate', { params: { id }, body: {} }), {
    stale,
    done: (workflow) => (Object.keys(workflow.variables).length > 0 ? setCreated(workflow) : open(workflow)),
  })
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
      {created && <SetUp workflow={created} done={() => open(created)} />}
    </Stack>
  )
}

/** Asks for the values of the variables of a new workflow, which has those of the template. */
function SetUp({ workflow: { id, name, variables }, done }: { workflow: Workflow; done(): void }) {
  const [values, setValues] = useState<unknown>(variables)
  const save = useChange(
    (api) =>
      api.put('/api/workflows/{id}', {
        params: { id },
        body: { variables: values as Workflow['variables'] },
      }),
    { stale, done },
  )
  return (
    <FormModal
      title={`Set up ${name}`}
      verb="Save and open"
      closeLabel="Later"
      submit={() => save.mutate()}
      close={done}
      isPending={save.isPending}
    >
      <ParameterForm schema={schemaOf(variables)} value={values} change={setValues} errors={{}} />
      <Hint>You can change these later: they are the variables in the settings of the workflow.</Hint>
    </FormModal>
  )
}

/** Texts and numbers have fields of their own; anything else is JSON. */
const schemaOf = (variables: Workflow['variables']): Schema => ({
  properties: Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, fieldsOfTypes[typeof value] ?? { type: 'array' }]),
  ),
})

const fieldsOfTypes: Readonly<Record<string, Schema>> = {
  string: { type: 'string', maxLength: 300 },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
}
