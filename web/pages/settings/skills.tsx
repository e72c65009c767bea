import { Code, Drawer, Group, Stack, Switch, Text } from '@mantine/core'
import { IconBook2 } from '@tabler/icons-react'
import { useState } from 'react'
import type { Skill } from '../../../runtime/settings/skills/schema.ts'
import { SmallButton } from '../../parts/buttons.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ResourceList } from '../../parts/resource-list.tsx'
import { ResourcePage } from '../../parts/resource-page.tsx'
import { Hint, Muted } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

const path = '/api/settings/skills'

/** Custom and built-in skills. */
export function Skills() {
  const [shown, setShown] = useState<Skill | null>(null)
  return (
    <Stack gap="lg">
      <ResourcePage
        path={`${path}/custom`}
        items="skills"
        noun="skill"
        title="Your skills"
        icon={IconBook2}
        height={62}
        empty="A skill is a page of instructions that an agent reads when a task calls for it."
        row={rowOf}
        form={{ start: { content: template }, effect: 'Agents that use it continue without it.' }}
      />
      <ResourceList
        path={`${path}/builtin`}
        items="skills"
        title="Built in"
        height={62}
        empty="No built-in skills."
        row={(skill) => {
          const { actions, ...row } = rowOf(skill)
          return {
            ...row,
            actions: (
              <>
                <SmallButton onClick={() => setShown(skill)}>View</SmallButton>
                {actions}
              </>
            ),
          }
        }}
      />
      {shown && (
        <Drawer opened onClose={() => setShown(null)} position="right" size="lg" title={shown.name}>
          <Stack gap="xs">
            <Text size="sm">{shown.description}</Text>
            <Group justify="space-between">
              <Hint>To customize it, copy it into a new skill with another name.</Hint>
              <CopyButton value={shown.content} what="skill" />
            </Group>
            <Code block style={{ whiteSpace: 'pre-wrap' }}>
              {shown.content}
            </Code>
          </Stack>
        </Drawer>
      )}
    </Stack>
  )
}

const rowOf = (skill: Skill) => ({
  actions: <SkillSwitch skill={skill} />,
  children: <Muted lineClamp={2}>{skill.description}</Muted>,
})

function SkillSwitch({ skill: { id, name, enabled: current } }: { skill: Skill }) {
  const toggle = useChange<unknown, boolean>(
    (api, enabled) =>
      id === null
        ? api.post(`${path}/builtin/{name}/toggle`, { params: { name }, body: { enabled } })
        : api.post(`${path}/custom/{id}/toggle`, { params: { id }, body: { enabled } }),
    { stale: [path] },
  )
  return (
    <Switch
      aria-label={`Use ${name}`}
      checked={toggle.isPending ? toggle.variables : current}
      disabled={toggle.isPending}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  )
}

const template = `---
name: water-the-plants
description: What it does, and when to use it. The agent decides by this sentence.
---
# Water the plants

1. First …
2. Then …
`
