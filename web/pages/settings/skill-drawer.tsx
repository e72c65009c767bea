import { Alert, Button, Code, Drawer, Group, List, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Skill } from '../../../runtime/settings/skills/schema.ts'
import { ApiError, readable } from '../../api/error.ts'
import { refresh } from '../../api/live.ts'
import { useApi } from '../../app/services.tsx'
import { announce } from '../../parts/announce.ts'
import { ConfirmByName } from '../../parts/confirm-by-name.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'

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
          To customize it, copy it into a new skill with another name.
        </Text>
        <CopyButton value={skill.content} what="skill" />
      </div>
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

/** The editor of a complete `SKILL.md`. */
function SkillForm({ skill, close }: { skill: Skill | null; close: () => void }) {
  const [content, setContent] = useState(skill?.content ?? template)
  const [enabled, setEnabled] = useState(skill?.enabled ?? true)
  const { save, remove, asked, ask } = useSkill(skill, close)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ content, enabled })
  }
  return (
    <>
      <Stack component="form" onSubmit={submit}>
        {save.isError && <Wrong error={save.error} />}
        <Textarea
          label="SKILL.md"
          description="Name and description between the --- lines, then the instructions in Markdown"
          autosize
          minRows={14}
          maxRows={28}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={content}
          onChange={(event) => setContent(event.currentTarget.value)}
        />
        <Switch
          label="Agents may use it"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <Group justify="space-between">
          {skill ? (
            <Button variant="subtle" c="var(--mantine-color-error)" onClick={() => ask(true)}>
              Delete
            </Button>
          ) : (
            <span />
          )}
          <Group gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {skill ? 'Save' : 'Create'}
            </Button>
          </Group>
        </Group>
      </Stack>
      <ConfirmByName
        name={asked ? (skill?.name ?? null) : null}
        what="skill"
        pending={remove.isPending}
        confirm={() => remove.mutate()}
        close={() => ask(false)}
      >
        Agents that use it continue without it.
      </ConfirmByName>
    </>
  )
}

/** Validation messages, by member of the front matter. */
function Wrong({ error }: { error: unknown }) {
  const issues = error instanceof ApiError ? error.issues : []
  return (
    <Alert color="red" role="alert" title="Not saved">
      {issues.length === 0 ? (
        readable(error)
      ) : (
        <List size="sm">
          {issues.map(({ path, message }) => (
            <List.Item key={path + message}>
              {path.replace(/^content\.?/, '') || 'The text'}: {message}
            </List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}

function useSkill(skill: Skill | null, close: () => void) {
  const api = useApi()
  const queries = useQueryClient()
  const [asked, ask] = useState(false)
  const params = { id: skill?.id ?? '' }
  const refetch = () => refresh(queries, '/api/settings/skills')
  const save = useMutation({
    mutationFn: (body: { content: string; enabled: boolean }) =>
      skill
        ? api.put('/api/settings/skills/custom/{id}', { params, body })
        : api.post('/api/settings/skills/custom', { body }),
    meta: { shown: true },
    async onSuccess({ name }) {
      await refetch()
      announce(`${name} was saved`)
      close()
    },
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/api/settings/skills/custom/{id}', { params }),
    async onSuccess() {
      await refetch()
      close()
    },
  })
  return { save, remove, asked, ask }
}
