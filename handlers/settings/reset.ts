import type { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { resetSection } from '../../runtime/settings/section.ts'
import { AllSections, sections, showSections } from '../../runtime/settings/sections.ts'

export const reset = endpoint({
  method: 'POST',
  path: '/api/settings/reset',
  summary: 'Give the general settings their defaults again; profile, security and email stay',
  access: 'admin',
  returns: AllSections,
  async run(_, context) {
    for (const section of sections) if (!section.kept_on_reset) await resetSection(context, section)
    return (await showSections(context)) as z.output<typeof AllSections>
  },
})
