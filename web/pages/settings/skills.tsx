import { Stack, Switch, Text } from '@mantine/core'
import { IconBook2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { Skill } from '../../../runtime/settings/skills/schema.ts'
import { useEndpoint } from '../../api/query.ts'
import { AddButton, SmallButton } from '../../parts/buttons.tsx'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { Panel, Row } from '../../parts/page.tsx'
import { useChange } from '../../parts/use-change.ts'

const SkillDrawer = lazily(() => import('./skill-drawer.tsx'), 'SkillDrawer')

/** Built-in and custom skills. */
export function Skills() {
  const custom = useEndpoint('/api/settings/skills/custom', { query: { limit: 200 } })
  const builtin = useEndpoint('/api/settings/skills/builtin')
  const [opened, setOpened] = useState<Skill | 'new' | null>(null)
  const row = (skill: Skill) => <SkillRow key={skill.name} skill={skill} open={() => setOpened(skill)} />
  const empty = (
    <EmptyState icon={<IconBook2 />} title="No custom skills yet">
      A skill is a page of instructions that an agent reads when a task calls for it.
    </EmptyState>
  )
  const list = {
    items: ({ skills }: { skills: Skill[] }) => skills,
    empty,
    skeleton: <SkeletonRows height={62} />,
    children: row,
  }
  return (
    <Stack gap="lg">
      <Panel
        title="Your skills"
        count={custom.data?.total}
        action={<AddButton onClick={() => setOpened('new')}>New skill</AddButton>}
      >
        <List query={custom} what="Your skills" {...list} />
      </Panel>
      <Panel title="Built in" count={builtin.data?.total}>
        <List query={builtin} what="The built-in skills" {...list} />
      </Panel>
      {opened !== null && (
        <SkillDrawer skill={opened === 'new' ? null : opened} close={() => setOpened(null)} />
      )}
    </Stack>
  )
}

function SkillRow({ skill, open }: { skill: Skill; open: () => void }) {
  const toggle = useToggle(skill)
  return (
    <Row
      name={skill.name}
      actions={
        <>
          <SmallButton onClick={open}>{skill.source === 'custom' ? 'Edit' : 'View'}</SmallButton>
          <Switch
            aria-label={`Use ${skill.name}`}
            checked={toggle.isPending ? toggle.variables : skill.enabled}
            disabled={toggle.isPending}
            onChange={(event) => toggle.mutate(event.currentTarget.checked)}
          />
        </>
      }
    >
      <Text size="sm" c="dimmed" lineClamp={2}>
        {skill.description}
      </Text>
    </Row>
  )
}

const useToggle = ({ id, name }: Skill) =>
  useChange<unknown, boolean>(
    (api, enabled) =>
      id === null
        ? api.post('/api/settings/skills/builtin/{name}/toggle', { params: { name }, body: { enabled } })
        : api.post('/api/settings/skills/custom/{id}/toggle', { params: { id }, body: { enabled } }),
    { stale: ['/api/settings/skills'] },
  )
