import { z } from 'zod'
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import {
  CustomSkill,
  NewSkill,
  Skill,
  SkillChanges,
  SkillSummary,
  Toggle,
} from '../../runtime/settings/skills/schema.ts'
import {
  addSkill,
  changeSkill,
  listBuiltinSkills,
  listCustomSkills,
  listSkills,
  removeSkill,
  requireCustomSkill,
  toggleBuiltinSkill,
  toggleSkill,
} from '../../runtime/settings/skills/skills.ts'

const skills = { path: '/api/settings/skills/custom', owner: 'house' } as const

const counted = <Item>(skills: Item[]) => ({ skills, total: skills.length })

export const listAll = endpoint({
  method: 'GET',
  path: '/api/settings/skills',
  owner: 'house',
  summary: 'List all skills without their instructions',
  returns: z.object({ skills: z.array(SkillSummary), total: z.number().int() }),
  run: async (_, context) => counted(await listSkills(context)),
})

export const listBuiltin = endpoint({
  method: 'GET',
  path: '/api/settings/skills/builtin',
  owner: 'house',
  summary: 'List the built-in skills',
  returns: z.object({ skills: z.array(Skill), total: z.number().int() }),
  run: async (_, context) => counted(await listBuiltinSkills(context)),
})

export const toggleBuiltin = endpoint({
  method: 'POST',
  path: '/api/settings/skills/builtin/{name}/toggle',
  owner: 'house',
  summary: 'Enable or disable a built-in skill',
  body: Toggle,
  body_optional: true,
  returns: Skill,
  run: ({ params, body }, context) => toggleBuiltinSkill(context, params.name, body.enabled),
})

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills/custom',
  owner: 'house',
  summary: 'List the custom skills',
  query: pageQuery(),
  returns: listOf('skills', CustomSkill),
  run: ({ query }, context) => listCustomSkills(context, query),
})

export const create = endpoint({
  method: 'POST',
  path: '/api/settings/skills/custom',
  owner: 'house',
  summary: 'Add a skill from its SKILL.md',
  body: NewSkill,
  returns: CustomSkill,
  status: 201,
  run: ({ body }, context) => addSkill(context, body),
})

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/skills/custom/{id}',
  owner: 'house',
  summary: 'Get a custom skill',
  returns: CustomSkill,
  run: ({ params }, context) => requireCustomSkill(context, params.id),
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/skills/custom/{id}',
  owner: 'house',
  summary: 'Change a custom skill',
  body: SkillChanges,
  returns: CustomSkill,
  run: ({ params, body }, context) => changeSkill(context, params.id, body),
})

export const remove = removal({
  path: '/api/settings/skills/custom/{id}',
  owner: 'house',
  summary: 'Delete a custom skill',
  remove: removeSkill,
})

export const toggle = verbOf(skills, 'toggle', {
  summary: 'Enable or disable a custom skill',
  body: Toggle,
  body_optional: true,
  returns: CustomSkill,
  run: (context, id, { enabled }) => toggleSkill(context, id, enabled),
})
