import { Button, Stack } from '@mantine/core'
import { IconBook2, IconPlus } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import type { Skill } from '../../../../runtime/settings/skills/schema.ts'
import { useEndpoint } from '../../../api/query.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { EmptyState, SkeletonRows } from '../../../parts/states.tsx'
import { SkillRow } from './skill-row.tsx'

const SkillDrawer = lazy(async () => ({ default: (await import('./skill-drawer.tsx')).SkillDrawer }))

/** What agents know how to do: what came with hearthd, and what people wrote here. */
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
              <EmptyState icon={<IconBook2 />} title="None of your own yet">
                A skill is a page of instructions that an agent reads when it has to do that kind of work.
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
