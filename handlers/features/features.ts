import { featureList } from '../../runtime/features/list.ts'
import { FeatureList } from '../../runtime/features/schema.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/features',
  summary: 'What this installation can do, and how it was installed',
  returns: FeatureList,
  async run(_, context) {
    return featureList(context)
  },
})
