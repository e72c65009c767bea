import { z } from 'zod'
import { endpointsOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Skill, SkillSummary, Toggle } from '../../runtime/settings/skills/schema.ts'
import {
  listBuiltinSkills,
  listSkills,
  skills,
  toggleBuiltinSkill,
  toggleSkill,
} from '../../runtime/settings/skills/skills.ts'

const counted = <Item>(skills: Item[]) => ({ skills, total: skills.length })

export const listAll = endpoint('GET /api/settings/skills', {
  owner: 'shared',
  summary: 'List all skills without their instructions',
  returns: z.object({ skills: z.array(SkillSummary), total: z.int() }),
  run: async (_, context) => counted(await listSkills(context)),
})

export const listBuiltin = endpoint('GET /api/settings/skills/builtin', {
  owner: 'shared',
  summary: 'List the built-in skills',
  returns: z.object({ skills: z.array(Skill), total: z.int() }),
  run: async (_, context) => counted(await listBuiltinSkills(context)),
})

export const toggleBuiltin = endpoint('POST /api/settings/skills/builtin/{name}/toggle', {
  owner: 'shared',
  summary: 'Enable or disable a built-in skill',
  body: Toggle,
  body_optional: true,
  returns: Skill,
  run: ({ params, body }, context) => toggleBuiltinSkill(context, params.name, body.enabled),
})

export const { list, create, show, update, remove } = endpointsOf(skills)

export const toggle = verbOf(skills, 'toggle', {
  summary: 'Enable or disable a custom skill',
  body: Toggle,
  body_optional: true,
  returns: skills.Row,
  run: (context, id, { enabled }) => toggleSkill(context, id, enabled),
})
