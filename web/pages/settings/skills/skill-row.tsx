import { Button, Group, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Skill } from '../../../../runtime/settings/skills/schema.ts'
import { refresh } from '../../../api/live.ts'
import { useApi } from '../../../app/services.tsx'

export function SkillRow({ skill, open }: { skill: Skill; open: () => void }) {
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
  const api = useApi()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (enabled: boolean) => {
      const body = { enabled }
      if (id === null)
        await api.post('/api/settings/skills/builtin/{name}/toggle', { params: { name }, body })
      else await api.post('/api/settings/skills/custom/{id}/toggle', { params: { id }, body })
    },
    onSettled: () => refresh(queries, '/api/settings/skills'),
  })
}
