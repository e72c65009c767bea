import { endpoint } from '../../runtime/http/endpoint.ts'
import { ProactiveChange, ProactiveSettings, proactiveSettings } from '../../runtime/settings/proactive.ts'
import { changeSection, readSection } from '../../runtime/settings/section.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/proactive',
  summary: 'Read what agents may begin by themselves',
  returns: ProactiveSettings,
  async run(_, context) {
    return readSection(context, proactiveSettings)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/proactive',
  summary: 'Change any part of what agents may begin by themselves',
  body: ProactiveChange,
  returns: ProactiveSettings,
  async run({ body }, context) {
    return changeSection(context, proactiveSettings, body)
  },
})
