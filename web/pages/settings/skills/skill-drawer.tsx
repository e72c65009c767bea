import { Code, Drawer, Stack, Text } from '@mantine/core'
import type { Skill } from '../../../../runtime/settings/skills/schema.ts'
import { CopyButton } from '../../../parts/copy-button.tsx'
import { SkillForm } from './skill-form.tsx'

interface SkillDrawerProps {
  /** Null for a new one. */
  skill: Skill | null
  close: () => void
}

export function SkillDrawer({ skill, close }: SkillDrawerProps) {
  const reads = skill?.source === 'builtin'
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={skill?.name ?? 'New skill'}>
      {reads ? <SkillText skill={skill} /> : <SkillForm skill={skill} close={close} />}
    </Drawer>
  )
}

function SkillText({ skill }: { skill: Skill }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{skill.description}</Text>
      <div style={{ display: 'flex', justifyContent: 'space-between', alignItems: 'center' }}>
        <Text size="xs" c="dimmed">
          To change it, copy it into a skill of your own with another name.
        </Text>
        <CopyButton value={skill.content} what="skill" />
      </div>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {skill.content}
      </Code>
    </Stack>
  )
}
