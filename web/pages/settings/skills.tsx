import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { IconBook2, IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { Skill } from '../../../runtime/settings/skills/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Panel } from '../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../parts/states.tsx'
import { useChange } from '../../parts/use-change.ts'

const SkillDrawer = lazy(async () => ({ default: (await import('./skill-drawer.tsx')).SkillDrawer }))

/** Built-in and custom skills. */
export function Skills() {
  const custom = useEndpoint('/api/settings/skills/custom', { query: { limit: 200 } })
  const builtin = useEndpoint('/api/settings/skills/builtin')
  const [opened, setOpened] = useState<Skill | 'new' | null>(null)
  const create = (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => setOpened('new')}>
      New skill
    </Button>
  )
  const row = (skill: Skill) => <SkillRow key={skill.name} skill={skill} open={() => setOpened(skill)} />
  return (
    <Stack gap="lg">
      <Panel title="Your skills" count={custom.data?.total} action={create}>
        <Loaded query={custom} what="Your skills" skeleton={<SkeletonRows count={2} height={62} />}>
          {({ skills }) =>
            skills.length === 0 ? (
              <EmptyState icon={<IconBook2 />} title="No custom skills yet">
                A skill is a page of instructions that an agent reads when a task needs it.
              </EmptyState>
            ) : (
              skills.map(row)
            )
          }
        </Loaded>
      </Panel>
      <Panel title="Built in" count={builtin.data?.total}>
        <Loaded query={builtin} what="The built-in skills" skeleton={<SkeletonRows count={8} height={62} />}>
          {({ skills }) => skills.map(row)}
        </Loaded>
      </Panel>
      {opened !== null && (
        <Suspense>
          <SkillDrawer skill={opened === 'new' ? null : opened} close={() => setOpened(null)} />
        </Suspense>
      )}
    </Stack>
  )
}

function SkillRow({ skill, open }: { skill: Skill; open: () => void }) {
  const toggle = useToggle(skill)
  const { name, description, source } = skill
  return (
    <article className="row" style={{ flexWrap: 'wrap' }} aria-label={name}>
      <div className="words">
        <Text fw={500}>{name}</Text>
        <Text size="sm" c="dimmed" lineClamp={2}>
          {description}
        </Text>
      </div>
      <Group gap="sm" wrap="nowrap">
        <Button size="xs" variant="default" onClick={open}>
          {source === 'custom' ? 'Edit' : 'Read'}
        </Button>
        <Switch
          aria-label={`Use ${name}`}
          checked={toggle.isPending ? toggle.variables : skill.enabled}
          disabled={toggle.isPending}
          onChange={(event) => toggle.mutate(event.currentTarget.checked)}
        />
      </Group>
    </article>
  )
}

function useToggle({ id, name }: Skill) {
  return useChange<unknown, boolean>(
    (api, enabled) =>
      id === null
        ? api.post('/api/settings/skills/builtin/{name}/toggle', { params: { name }, body: { enabled } })
        : api.post('/api/settings/skills/custom/{id}/toggle', { params: { id }, body: { enabled } }),
    { stale: ['/api/settings/skills'] },
  )
}
