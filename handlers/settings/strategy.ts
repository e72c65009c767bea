import { endpoint } from '../../runtime/http/endpoint.ts'
import { changeSection, readSection } from '../../runtime/settings/section.ts'
import { StrategyChange, StrategySettings, strategySettings } from '../../runtime/settings/strategy.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/settings/strategy',
  summary: 'Read the strategies',
  returns: StrategySettings,
  async run(_, context) {
    return readSection(context, strategySettings)
  },
})

export const update = endpoint({
  method: 'PUT',
  path: '/api/settings/strategy',
  summary: 'Change any part of the strategies',
  body: StrategyChange,
  returns: StrategySettings,
  async run({ body }, context) {
    return changeSection(context, strategySettings, body)
  },
})
