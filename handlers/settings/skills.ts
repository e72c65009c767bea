import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listSkills } from '../../runtime/settings/skills/available.ts'
import { listBuiltinSkills, toggleBuiltinSkill } from '../../runtime/settings/skills/builtin.ts'
import { Skill, SkillSummary, Toggle } from '../../runtime/settings/skills/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/settings/skills',
  summary: 'Every skill without its instructions',
  returns: z.object({ skills: z.array(SkillSummary), total: z.number().int() }),
  async run(_, context) {
    const skills = await listSkills(context)
    return { skills, total: skills.length }
  },
})

export const builtin = endpoint({
  method: 'GET',
  path: '/api/settings/skills/builtin',
  summary: 'The skills that come with hearthd',
  returns: z.object({ skills: z.array(Skill), total: z.number().int() }),
  async run(_, context) {
    const skills = await listBuiltinSkills(context)
    return { skills, total: skills.length }
  },
})

export const toggle = endpoint({
  method: 'POST',
  path: '/api/settings/skills/builtin/{name}/toggle',
  summary: 'Switch a built-in skill on or off',
  body: Toggle,
  body_optional: true,
  returns: Skill,
  async run({ params, body }, context) {
    return toggleBuiltinSkill(context, params.name, body.enabled)
  },
})
