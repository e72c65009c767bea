import { queryOptions } from '@tanstack/react-query'
import type { CustomSkill, Skill, SkillSummary } from '../../runtime/settings/skills/schema.ts'
import type { Api } from './client.ts'

export type { CustomSkill, Skill, SkillSummary }

/** Every skill without its instructions, those switched off too. */
export const skillsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['skills', 'list'],
    queryFn: ({ signal }) =>
      api.get<{ skills: SkillSummary[]; total: number }>('/api/settings/skills', {}, signal),
  })

export const builtinSkillsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['skills', 'builtin'],
    queryFn: ({ signal }) =>
      api.get<{ skills: Skill[]; total: number }>('/api/settings/skills/builtin', {}, signal),
  })

export const customSkillsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['skills', 'custom'],
    queryFn: ({ signal }) =>
      api.get<{ skills: CustomSkill[]; total: number }>(
        '/api/settings/skills/custom',
        { limit: 200 },
        signal,
      ),
  })
