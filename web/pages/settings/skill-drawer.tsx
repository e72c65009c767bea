import { Alert, Code, Drawer, Group, List, Stack, Text } from '@mantine/core'
import type { Skill } from '../../../runtime/settings/skills/schema.ts'
import { ApiError } from '../../api/error.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EntityForm, inputsOf, useApiForm } from '../../parts/form.tsx'
import { Hint } from '../../parts/typography.tsx'
import { useChange } from '../../parts/use-change.ts'

interface SkillDrawerProps {
  /** Null for a new one. */
  skill: Skill | null
  close: () => void
}

export function SkillDrawer({ skill, close }: SkillDrawerProps) {
  return (
    <Drawer opened onClose={close} position="right" size="lg" title={skill?.name ?? 'New skill'}>
      {skill?.source === 'builtin' ? <SkillText skill={skill} /> : <SkillForm skill={skill} close={close} />}
    </Drawer>
  )
}

function SkillText({ skill }: { skill: Skill }) {
  return (
    <Stack gap="xs">
      <Text size="sm">{skill.description}</Text>
      <Group justify="space-between">
        <Hint>To customize it, copy it into a new skill with another name.</Hint>
        <CopyButton value={skill.content} what="skill" />
      </Group>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {skill.content}
      </Code>
    </Stack>
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

const stale = ['/api/settings/skills']

function useSkillForm({ skill, close }: SkillDrawerProps) {
  const api = useApi()
  return useApiForm({
    initial: { content: skill?.content ?? template, enabled: skill?.enabled ?? true },
    save: (body, changes) =>
      skill
        ? api.put('/api/settings/skills/custom/{id}', { params: { id: skill.id ?? '' }, body: changes })
        : api.post('/api/settings/skills/custom', { body }),
    stale,
    saved({ name }) {
      announce(`${name} was saved`)
      close()
    },
  })
}

/** The editor of a complete `SKILL.md`. */
function SkillForm({ skill, close }: SkillDrawerProps) {
  const form = useSkillForm({ skill, close })
  const params = { id: skill?.id ?? '' }
  const remove = useChange((api) => api.delete('/api/settings/skills/custom/{id}', { params }), {
    stale,
    done: close,
  })
  const deletion = skill && {
    name: skill.name,
    what: 'skill',
    effect: 'Agents that use it continue without it.',
    run: remove,
  }
  const { area, toggle } = inputsOf(form)
  return (
    <EntityForm form={form} verb={skill ? 'Save' : 'Create'} close={close} remove={deletion ?? false}>
      <Problems error={form.error} />
      {area('content', 'SKILL.md', [14, 28], {
        description: 'Name and description between the --- lines, then the instructions in Markdown',
        spellCheck: false,
        styles: { input: { fontFamily: 'var(--mantine-font-family-monospace)' } },
        error: false,
      })}
      {toggle('enabled', 'Agents may use it')}
    </EntityForm>
  )
}

/** Validation messages, by member of the front matter. */
function Problems({ error }: { error: unknown }) {
  const issues = error instanceof ApiError ? error.issues : []
  if (issues.length === 0) return null
  return (
    <Alert color="red" role="alert" title="Not saved">
      <List size="sm">
        {issues.map(({ path, message }) => (
          <List.Item key={path + message}>
            {path.replace(/^content\.?/, '') || 'The text'}: {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
