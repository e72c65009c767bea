import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { AllSections, describeSections, showSections } from '../../runtime/settings/sections.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/settings',
  summary: 'Read every section of the settings',
  returns: AllSections,
  async run(_, context) {
    return (await showSections(context)) as z.output<typeof AllSections>
  },
})

export const schema = endpoint({
  method: 'GET',
  path: '/api/settings/schema',
  summary: 'The JSON Schema of every section, with titles and units for forms',
  returns: z.record(z.string(), z.record(z.string(), z.unknown())),
  run() {
    return describeSections()
  },
})
